use std::sync::{Arc, Mutex};

use mortise_formats::format::{ErrorBody, ErrorCode, PathfinderOutput};
use mortise_formats::rules::RuleDocument;
use mortise_server::{CallContext, Client};
use serde_json::{Map, Value, json};

use crate::store::{DraftStore, IssuedDraft, KnownSource, NewDraft, ReviewMaterial};
use crate::{RandomIds, SystemClock, WizardOptions, Wizards};

/// Keeps drafts in memory and counts commits.
#[derive(Default)]
struct Kept {
    drafts: Mutex<Vec<NewDraft>>,
    committed: Mutex<Vec<String>>,
}

impl DraftStore for Kept {
    fn put(&self, draft: NewDraft) -> Result<IssuedDraft, ErrorBody> {
        let mut drafts = self.drafts.lock().unwrap();
        drafts.push(draft);
        Ok(IssuedDraft { id: format!("{:08x}", drafts.len()), warnings: Vec::new() })
    }

    fn commit(&self, id: &str) -> Result<(), ErrorBody> {
        self.committed.lock().unwrap().push(id.to_owned());
        Ok(())
    }

    fn sources(&self) -> Result<Vec<KnownSource>, ErrorBody> {
        let source = |id: &str, expression: &str| KnownSource {
            source_id: id.to_owned(),
            expression: expression.to_owned(),
            file_count: 3,
        };
        Ok(vec![
            source("sorties", "entity_folder(sortie) > dated_hierarchy(compact) > files(csv)"),
            source("years", "year_folder > files"),
        ])
    }

    fn review(&self) -> Result<ReviewMaterial, ErrorBody> {
        Ok(ReviewMaterial {
            files: ["d/m_1/a.csv", "d/m_x/b.csv", "other/c.txt", "other/d.txt"].map(str::to_owned).to_vec(),
            rules: vec![r"{name: r, glob: '**/m_*/*.csv', tag: t, extract: {m: {from: segment(-2), pattern: 'm_(\d+)', type: integer}}}".to_owned()],
        })
    }
}

struct Bench {
    wizards: Arc<Wizards>,
    kept: Arc<Kept>,
}

impl Bench {
    fn new() -> Self {
        let kept = Arc::new(Kept::default());
        let store: Arc<dyn DraftStore> = kept.clone();
        let options = WizardOptions::below("/nowhere");
        let wizards = Wizards::new(options, Arc::new(SystemClock), Arc::new(RandomIds), store);
        Self { wizards: Arc::new(wizards), kept }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<(Value, String), ErrorBody> {
        let wizard = super::wizards().into_iter().find(|wizard| wizard.name() == tool).unwrap();
        let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
        wizard.call(&self.wizards, arguments, context).await
    }

    async fn extractor(&self, arguments: Value) -> Value {
        let (result, _) = self.call("generate_extractor", arguments).await.unwrap();
        let output: PathfinderOutput = serde_json::from_value(result.clone()).unwrap();
        assert!(RuleDocument::parse(&output.yaml_rule).is_ok(), "{}", output.yaml_rule);
        assert!(!output.decision_reason.is_empty());
        result
    }
}

#[tokio::test]
async fn one_path_gives_all_fields_with_modest_labels() {
    let result = Bench::new()
        .extractor(json!({"sample_paths": ["/data/CLIENT-ABC/invoices/2024/Q1/inv_001.pdf"]}))
        .await;
    assert_eq!(
        result["preview_results"][0]["fields"],
        json!({"client_id": "ABC", "year": 2024, "quarter": 1, "file_kind": "inv", "file_number": 1})
    );
    for metric in result["field_metrics"].as_array().unwrap() {
        assert_ne!(metric["confidence"], "high", "{metric}");
    }
    assert!(result["warnings"][0]["message"].as_str().unwrap().contains("n=1"));
    assert!(result.get("python_code").is_none());
}

#[tokio::test]
async fn messages_and_quarters_need_no_python() {
    let bench = Bench::new();
    let result = bench.extractor(json!({"sample_paths": ["/data/ADT_Inbound/2024/01/msg_001.hl7"]})).await;
    let fields = &result["preview_results"][0]["fields"];
    assert_eq!(
        (&fields["direction"], &fields["year"], &fields["month"]),
        (&json!("Inbound"), &json!(2024), &json!(1))
    );
    assert!(result.get("python_code").is_none());
    let result = bench.extractor(json!({"sample_paths": ["/data/CLIENT-ABC/2024/Q1/report.csv"]})).await;
    assert_eq!(
        result["preview_results"][0]["fields"],
        json!({"client_id": "ABC", "year": 2024, "quarter": 1})
    );
    assert!(result.get("python_code").is_none());
}

#[tokio::test]
async fn a_hint_to_compute_months_adds_python_beside_the_rule() {
    let arguments = json!({
        "sample_paths": ["/data/CLIENT-ABC/2024/Q1/report.csv", "/data/CLIENT-XYZ/2024/Q4/report.csv"],
        "hint": "Quarter folder should compute start/end month",
    });
    let bench = Bench::new();
    let (result, feedback) = bench.call("generate_extractor", arguments).await.unwrap();
    let reason = result["decision_reason"].as_str().unwrap();
    assert!(reason.contains("compute") && reason.contains("quarter"), "{reason}");
    assert_eq!(result["complexity"], "complex");
    let months = |number: usize| {
        let fields = &result["preview_results"][number]["python_fields"];
        (fields["start_month"].clone(), fields["end_month"].clone())
    };
    assert_eq!((months(0), months(1)), ((json!(1), json!(3)), (json!(10), json!(12))), "{result:#}");
    assert_eq!(result["preview_results"][0]["fields"]["quarter"], 1);
    assert!(result["preview_results"][0]["fields"].get("start_month").is_none());
    assert_eq!(
        feedback,
        format!(
            "⚠ Generated Rule with Code Fallback\n  Primary (YAML): Extraction Rule ✓\n  Fallback (Python): quarter \
             expansion (start_month, end_month)\n  Reason: {reason}\n  → Use YAML rule first; enable Python if rule fails"
        )
    );
    let files: Vec<String> =
        bench.kept.drafts.lock().unwrap()[0].files.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(files, ["rule.yaml", "extractor.py"]);
}

#[tokio::test]
async fn month_words_are_looked_up_in_python() {
    let paths: Vec<String> = ["Jan", "Feb", "Mar"]
        .iter()
        .map(|month| format!("archive/reports/{month}/2024/summary.pdf"))
        .collect();
    let result = Bench::new().extractor(json!({"sample_paths": paths})).await;
    for (number, month) in [1, 2, 3].into_iter().enumerate() {
        let fields = &result["preview_results"][number]["python_fields"];
        assert_eq!((&fields["month"], &fields["year"]), (&json!(month), &json!(2024)), "{result:#}");
    }
    assert_eq!(result["preview_results"][0]["fields"], json!({"month_name": "Jan", "year": 2024}));
}

#[tokio::test]
async fn mixed_dates_are_conditional() {
    let result = Bench::new()
        .extractor(
            json!({"sample_paths": ["a/2024-01-15/x.csv", "a/15-01-2024/x.csv", "a/2024-01-16/x.csv"]}),
        )
        .await;
    assert!(result["decision_reason"].as_str().unwrap().contains("conditional"));
    assert_eq!(result["preview_results"][0]["python_fields"]["date"], "2024-01-15", "{result:#}");
    assert_eq!(result["preview_results"][1]["python_fields"]["date"], "2024-01-15");
    assert_eq!(result["preview_results"][1]["fields"], json!({"date_raw": "15-01-2024"}));
}

#[tokio::test]
async fn undecided_order_among_mixed_dates_is_a_question() {
    let result =
        Bench::new().extractor(json!({"sample_paths": ["a/2024-01-15/x.csv", "a/05-06-2024/x.csv"]})).await;
    assert_eq!(result["questions"][0]["id"], "mixed_date_order");
    assert!(result["preview_results"][1]["python_fields"].get("date").is_none());
}

#[tokio::test]
async fn constant_paths_only_get_a_tag() {
    let result = Bench::new()
        .extractor(json!({"sample_paths": ["docs/manual/readme.txt", "docs/manual/readme.txt"]}))
        .await;
    assert_eq!(
        result["preview_results"][0],
        json!({"path": "docs/manual/readme.txt", "status": "COMPLETE", "fields": {}})
    );
    assert!(result["decision_reason"].as_str().unwrap().starts_with("constant structure"));
    assert_eq!(result["recommendations"].as_array().unwrap().len(), 1);
    let error = Bench::new().call("generate_extractor", json!({"sample_paths": []})).await.unwrap_err();
    assert_eq!(error.error_code, ErrorCode::NoPaths);
    let unwanted = json!({"sample_paths": ["docs/manual/readme.txt"], "require_fields": true});
    let error = Bench::new().call("generate_extractor", unwanted).await.unwrap_err();
    assert_eq!((error.error_code, error.field.as_deref()), (ErrorCode::NoPattern, Some("sample_paths")));
}

#[tokio::test]
async fn patterns_over_the_limits_are_recommended_against_or_moved_to_python() {
    let paths = json!(["d/client_a/2024-01-15/x_01.csv", "d/client_b/2024-01-16/x_02.csv"]);
    let extract =
        async |config: Value| Bench::new().extractor(json!({"sample_paths": paths, "config": config})).await;
    let recommended = extract(json!({"recommend_regex_chars": 1})).await;
    assert!(recommended.get("python_code").is_none());
    assert!(recommended["recommendations"][0].as_str().unwrap().contains("`client_id`"), "{recommended:#}");
    let loose = extract(json!({"recommend_regex_chars": 1, "sensitivity": "loose"})).await;
    assert_eq!(loose["recommendations"], json!([]));
    for config in [
        json!({"force_regex_chars": 1}),
        json!({"force_groups": 0}),
        json!({"recommend_groups": 0, "prefer_yaml": false}),
    ] {
        let forced = extract(config).await;
        assert_eq!(forced["complexity"], "complex");
        let reason = forced["decision_reason"].as_str().unwrap();
        assert!(reason.contains("the pattern of `client_id` is too large for a rule"), "{reason}");
        let preview = &forced["preview_results"][0];
        assert_eq!(preview["fields"]["client_id_raw"], "client_a", "{forced:#}");
        assert!(preview["fields"].get("client_id").is_none());
        let python = &preview["python_fields"];
        assert_eq!(
            (&python["client_id"], &python["date"], &python["file_number"]),
            (&json!("a"), &json!("2024-01-15"), &json!(1)),
            "{forced:#}"
        );
    }
}

#[tokio::test]
async fn the_operators_settings_for_a_source_hold_for_its_paths() {
    let limits = crate::paths::DecisionLimits { force_regex_chars: Some(1), ..Default::default() };
    let mut options = WizardOptions::below("/nowhere");
    options.decision.sources.insert("clients".to_owned(), limits);
    let kept: Arc<dyn DraftStore> = Arc::new(Kept::default());
    let wizards = Arc::new(Wizards::new(options, Arc::new(SystemClock), Arc::new(RandomIds), kept));
    let extract = async |more: Value| {
        let wizard =
            super::wizards().into_iter().find(|wizard| wizard.name() == "generate_extractor").unwrap();
        let mut arguments = json!({"sample_paths": ["d/client_a/x.csv", "d/client_b/x.csv"]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
        wizard.call(&wizards, arguments, context).await.unwrap().0
    };
    assert!(extract(json!({})).await.get("python_code").is_none());
    assert!(extract(json!({"source_id": "others"})).await.get("python_code").is_none());
    assert!(extract(json!({"source_id": "clients"})).await["python_code"].is_string());
    let own = json!({"source_id": "clients", "config": {"force_regex_chars": 200}});
    assert!(extract(own).await.get("python_code").is_none());
}

#[tokio::test]
async fn the_id_of_a_source_has_a_length() {
    for tool in ["generate_extractor", "recognize_semantic_path", "generate_rule_from_semantic"] {
        for (id, is_taken) in [("x".repeat(200), true), ("x".repeat(201), false), (String::new(), false)] {
            let given = match tool {
                "generate_rule_from_semantic" => {
                    json!({"expression": "year_folder > files", "source_id": id})
                }
                _ => json!({"sample_paths": ["d/client_a/x.csv", "d/client_b/x.csv"], "source_id": id}),
            };
            let refused = Bench::new().call(tool, given).await.err().map(|error| error.error_code);
            assert_eq!(refused, (!is_taken).then_some(ErrorCode::ParamRange), "{tool}: {}", id.len());
        }
    }
}

#[tokio::test]
async fn a_tag_is_made_of_the_prefix_and_ids_stay_as_they_are() {
    let bench = Bench::new();
    let clients = ["projects/CLIENT-001/data.csv", "projects/CLIENT-002/data.csv"];
    let (result, _) = bench.call("recognize_semantic_path", json!({"sample_paths": clients})).await.unwrap();
    assert_eq!(result["generated_rule"]["tag"], "client_data");
    let result = bench.extractor(json!({"sample_paths": clients})).await;
    assert!(result["yaml_rule"].as_str().unwrap().contains("tag: client_data"));
    assert_eq!(result["preview_results"][0]["fields"]["client_id"], "001");
    let numbers = json!({"sample_paths": ["data/12345/f.csv", "data/67890/f.csv"]});
    assert_eq!(bench.extractor(numbers).await["preview_results"][0]["fields"], json!({"id_2": 12345}));
}

#[tokio::test]
async fn a_noun_phrase_names_the_rule() {
    let arguments =
        json!({"sample_paths": ["data/2023/report.csv", "data/2024/report.csv"], "hint": "sales reports"});
    let result = Bench::new().extractor(arguments).await;
    assert!(
        result["yaml_rule"].as_str().unwrap().contains("name: sales_reports_extractor"),
        "{}",
        result["yaml_rule"]
    );
    assert_eq!(result["preview_results"][0]["fields"], json!({"year": 2023}));
}

#[tokio::test]
async fn file_names_are_read_and_a_date_that_differs_is_a_question() {
    let bench = Bench::new();
    let result = bench
        .extractor(json!({"sample_paths": ["mission_042/2024-01-15/experiment_x/telemetry_001.csv"]}))
        .await;
    assert_eq!(
        result["preview_results"][0]["fields"],
        json!({"mission_id": "042", "date": "2024-01-15", "experiment_id": "x", "file_kind": "telemetry", "file_number": 1})
    );
    let same = ["m_1/2024-01-15/t_2024-01-15.csv", "m_2/2024-01-16/t_2024-01-16.csv"];
    let result = bench.extractor(json!({"sample_paths": same})).await;
    assert!(result["preview_results"][0]["fields"].get("file_date").is_none());
    assert!(
        result["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "WARN_REPEATED_FIELD")
    );
    let differing = ["m_1/2024-01-15/t_2024-01-14.csv", "m_2/2024-01-16/t_2024-01-16.csv"];
    let result = bench.extractor(json!({"sample_paths": differing})).await;
    assert_eq!(result["questions"][0]["id"], "file_date_differs");
    assert_eq!(result["preview_results"][0]["fields"]["file_date"], "2024-01-14");
}

#[tokio::test]
async fn structured_hints_name_type_and_fix_fields() {
    let hint = r#"segment(-2) = region; segment(-3) : string; site = "north"; skip "\.tmp$""#;
    let paths = ["data/2023/eu/a.csv", "data/2024/us-west/b.csv", "data/2024/x/c.tmp"];
    let result = Bench::new().extractor(json!({"sample_paths": paths, "hint": hint})).await;
    assert_eq!(
        result["preview_results"][0]["fields"],
        json!({"year": "2023", "region": "eu", "site": "north"}),
        "{}",
        result["yaml_rule"]
    );
    assert_eq!(result["coverage"], json!({"matched": 2, "total": 2}));
    let outside = json!({"sample_paths": ["a/b.csv"], "hint": "segment(-5) = x"});
    let error = Bench::new().call("generate_extractor", outside).await.unwrap_err();
    assert_eq!(error.error_code, ErrorCode::HintSegmentRange);
}

#[tokio::test]
async fn what_the_library_lacks_is_said_and_fails_only_on_request() {
    let arguments = |require: bool| {
        json!({"sample_paths": ["c/client_a/x.csv", "c/client_b/x.csv"],
            "hint": "compute the revenue of each client", "require_python": require})
    };
    let bench = Bench::new();
    let result = bench.extractor(arguments(false)).await;
    assert!(result.get("python_code").is_none());
    assert!(
        result["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|warning| warning["code"] == "ERR_TRANSFORM_UNAVAILABLE")
    );
    let error = bench.call("generate_extractor", arguments(true)).await.unwrap_err();
    assert_eq!(error.error_code, ErrorCode::TransformUnavailable);
}

#[tokio::test]
async fn a_regular_tree_is_committed_when_asked_and_an_open_question_prevents_it() {
    let bench = Bench::new();
    let paths: Vec<String> = (1..=20).map(|day| format!("d/site_{day}/2024-01-{day:02}/x.csv")).collect();
    let result = bench.extractor(json!({"sample_paths": paths, "auto_approve": true})).await;
    assert_eq!(result["holdout"], json!({"paths": 4, "complete": 4, "partial": 0, "failed": 0}));
    assert_eq!(bench.kept.committed.lock().unwrap().len(), 1);
    let open = json!({"sample_paths": ["a/05-06-2024/x.csv", "a/06-06-2024/x.csv"], "auto_approve": true});
    let result = bench.extractor(open).await;
    assert_eq!(result["questions"][0]["id"], "date_order");
    assert_eq!(bench.kept.committed.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn two_runs_give_the_same_bytes() {
    let arguments = json!({"sample_paths": ["a/Jan/x_01.csv", "a/Feb/x_02.csv"], "hint": "expand the month"});
    let (one, two) =
        (Bench::new().extractor(arguments.clone()).await, Bench::new().extractor(arguments).await);
    assert_eq!(one.to_string(), two.to_string());
}

#[tokio::test]
async fn recognition_gives_the_rule_twice_and_the_same() {
    let paths: Vec<String> =
        (42..45).map(|number| format!("data/mission_0{number}/2024-01-{}/a.csv", number - 27)).collect();
    let (result, feedback) =
        Bench::new().call("recognize_semantic_path", json!({"sample_paths": paths})).await.unwrap();
    assert_eq!(result["expression"], "entity_folder(mission) > dated_hierarchy(iso) > files");
    assert_eq!(result["expression_full"], "entity_folder(mission) > dated_hierarchy(iso) > files(csv)");
    assert_eq!((&result["status"], &result["confidence"]), (&json!("accept"), &json!(0.9367)));
    assert_eq!(result["generated_rule"]["tag"], "mission_data");
    let rule = RuleDocument::parse(result["yaml_rule"].as_str().unwrap()).unwrap().rules()[0].to_value();
    for key in ["glob", "extract", "tag"] {
        assert_eq!(rule[key], result["generated_rule"][key]);
    }
    assert_eq!(result["segment_analysis"][0]["position"], -3);
    assert_eq!(result["segment_analysis"][0]["extracted_values"], json!({"mission_id": "042"}));
    assert_eq!(result["similar_sources"][0]["source_id"], "sorties");
    assert!(feedback.starts_with("✓ Generated YAML Extraction Rule\n  Schema: extraction_rules.v1\n"));
}

#[tokio::test]
async fn recognition_refuses_what_it_can_not_know() {
    let bench = Bench::new();
    let refused = async |paths: Value| {
        bench.call("recognize_semantic_path", json!({"sample_paths": paths})).await.unwrap_err().error_code
    };
    assert_eq!(refused(json!([])).await, ErrorCode::NoPaths);
    assert_eq!(refused(json!(["a/b.csv"])).await, ErrorCode::InsufficientSamples);
    assert_eq!(refused(json!(["x/foo/b.csv", "x/bar/b.csv"])).await, ErrorCode::NoPrimitives);
    assert_eq!(refused(json!(["x/m_1/b.csv", "x/s_1/b.csv"])).await, ErrorCode::AmbiguousStructure);
}

#[tokio::test]
async fn an_expression_becomes_a_rule_with_a_preview() {
    let bench = Bench::new();
    let arguments = json!({
        "expression": "entity_folder(mission) > files(csv)", "tag": "flights", "auto_apply": true,
        "sample_paths": ["d/mission_7/a.csv"],
    });
    let (result, _) = bench.call("generate_rule_from_semantic", arguments).await.unwrap();
    assert_eq!(result["rule"]["semantic_source"], "entity_folder(mission) > files(csv)");
    assert_eq!(result["rule"]["tag"], "flights");
    assert_eq!(
        result["preview"],
        json!({"matching_files": 1, "sample_extractions": [{"path": "d/mission_7/a.csv", "extracted": {"mission_id": "7"}}]})
    );
    assert_eq!(bench.kept.committed.lock().unwrap().len(), 1);
    let error = bench.call("generate_rule_from_semantic", json!({"expression": "x >"})).await.unwrap_err();
    assert_eq!(error.error_code, ErrorCode::ExpressionParse);
}

#[tokio::test]
async fn primitives_are_listed_by_domain() {
    let (result, _) =
        Bench::new().call("list_semantic_primitives", json!({"domain": "healthcare"})).await.unwrap();
    assert_eq!(result["primitives"][0]["name"], "direction_marker");
    let error = Bench::new().call("list_semantic_primitives", json!({"domain": "space"})).await.unwrap_err();
    assert_eq!(error.error_code, ErrorCode::ParamRange);
}

#[tokio::test]
async fn the_operators_own_words_are_known_and_listed() {
    let mut options = WizardOptions::below("/nowhere");
    options.words.insert("region".to_owned(), ["emea", "apac", "emea"].map(str::to_owned).into());
    options.words.insert("none".to_owned(), [].into());
    let kept: Arc<dyn DraftStore> = Arc::new(Kept::default());
    let wizards = Arc::new(Wizards::new(options, Arc::new(SystemClock), Arc::new(RandomIds), kept));
    let call = async |tool: &str, arguments: Value| {
        let wizard = super::wizards().into_iter().find(|wizard| wizard.name() == tool).unwrap();
        let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
        wizard.call(&wizards, arguments, context).await.unwrap().0
    };
    let listed = call("list_semantic_primitives", json!({"domain": "user"})).await;
    assert_eq!(listed["primitives"][0]["name"], "category_folder(apac, emea)");
    assert_eq!(listed["primitives"].as_array().unwrap().len(), 1);
    let expression = format!("{} > files", listed["primitives"][0]["name"].as_str().unwrap());
    let rule = call("generate_rule_from_semantic", json!({"expression": expression})).await;
    assert!(rule["yaml_rule"].as_str().unwrap().contains("category"), "{rule:#}");
    let paths = json!({"sample_paths": ["d/emea/2024/x.csv", "d/apac/2024/y.csv", "d/emea/2023/y.csv"]});
    let found = call("recognize_semantic_path", paths.clone()).await;
    assert_eq!(found["expression"], "category_folder(apac, emea) > year_folder > files");
    assert_eq!(found["status"], "accept");
    let extracted = call("generate_extractor", paths.clone()).await;
    assert_eq!(extracted["preview_results"][0]["fields"], json!({"category": "emea", "year": 2024}));
    let (unknown, _) = Bench::new().call("recognize_semantic_path", paths).await.unwrap();
    assert_eq!(unknown["status"], "ambiguous");
}

#[tokio::test]
async fn similar_sources_share_the_structure() {
    let arguments = json!({"expression": "entity_folder(mission) > dated_hierarchy(iso) > files"});
    let (result, _) = Bench::new().call("find_similar_sources", arguments).await.unwrap();
    assert_eq!(result["abstract_structure"], "entity_folder > dated_hierarchy > files");
    let ids: Vec<&Value> =
        result["sources"].as_array().unwrap().iter().map(|source| &source["source_id"]).collect();
    assert_eq!(ids, ["sorties"]);
}

#[tokio::test]
async fn what_rules_leave_open_is_listed() {
    let list = async |kind: &str| {
        Bench::new().call("list_pending_review", json!({"type": kind})).await.unwrap().0["items"].clone()
    };
    assert_eq!(list("unmatched_files").await[0]["path"], "other/c.txt");
    assert_eq!(
        list("unlabeled_groups").await,
        json!([{"group_id": "other", "reason": "no rule gives the files of this folder a tag", "count": 2}])
    );
    assert_eq!(list("failed_extractions").await[0]["path"], "d/m_x/b.csv");
}

#[test]
fn every_tool_declares_closed_schemas() {
    for wizard in super::wizards() {
        for schema in [wizard.input_schema(), wizard.output_schema()] {
            assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        }
    }
}

#[tokio::test]
async fn the_old_field_comes_only_when_the_operator_asks() {
    let options = WizardOptions { legacy_output: true, ..WizardOptions::below("/nowhere") };
    let kept: Arc<dyn DraftStore> = Arc::new(Kept::default());
    let wizards = Arc::new(Wizards::new(options, Arc::new(SystemClock), Arc::new(RandomIds), kept));
    let wizard = super::wizards().into_iter().find(|wizard| wizard.name() == "generate_extractor").unwrap();
    let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
    let (result, _) =
        wizard.call(&wizards, json!({"sample_paths": ["a/2024/x.csv"]}), context).await.unwrap();
    assert_eq!(result["code_preview"], result["yaml_rule"]);
    assert_eq!(result["deprecation"]["field"], "code_preview");
    assert_eq!(wizards.legacy.counts().emitted["generate_extractor"], 1);
    let plain = Bench::new().extractor(json!({"sample_paths": ["a/2024/x.csv"]})).await;
    assert!(plain.get("code_preview").is_none());
}

#[tokio::test]
async fn a_draft_for_one_folder_has_no_expression_rather_than_null() {
    let bench = Bench::new();
    bench.extractor(json!({"sample_paths": ["notes/one.csv", "notes/two.csv"]})).await;
    let drafts = bench.kept.drafts.lock().unwrap();
    assert_eq!(drafts[0].facts, json!({"file_count": 2}));
}

#[tokio::test]
async fn paths_that_are_too_deep_are_an_argument_at_fault() {
    let deep = |first: &str| {
        format!("{}/x.csv", (0..80).map(|n| format!("{first}_{n}")).collect::<Vec<_>>().join("/"))
    };
    let long = |first: &str| format!("{first}_{}/{}/x.csv", "a".repeat(1_200), "b".repeat(200));
    for paths in [[deep("a"), deep("b")], [long("a"), long("b")]] {
        for tool in ["generate_extractor", "recognize_semantic_path"] {
            let outcome = Bench::new().call(tool, json!({"sample_paths": paths})).await;
            // Folders that nobody knows may also simply not be recognised.
            let Err(error) = outcome else { continue };
            assert!(
                matches!(
                    error.error_code,
                    ErrorCode::ParamRange | ErrorCode::NoPrimitives | ErrorCode::AmbiguousStructure
                ),
                "{tool}: {error}"
            );
            assert_eq!(error.field.as_deref(), Some("sample_paths"), "{tool}: {error}");
        }
    }
    let error = Bench::new()
        .call("generate_extractor", json!({"sample_paths": [deep("a"), deep("b")]}))
        .await
        .unwrap_err();
    assert_eq!(error.error_code, ErrorCode::ParamRange);
    assert!(error.reason.contains("at most 64 are read"), "{error}");
}

#[tokio::test]
async fn a_question_has_something_to_choose_from() {
    let paths = ["alpha/mission_1/a.csv", "beta/mission_2/a.csv", "gamma/mission_3/a.csv"];
    let (result, _) =
        Bench::new().call("recognize_semantic_path", json!({"sample_paths": paths})).await.unwrap();
    assert_eq!(result["status"], "ambiguous");
    assert_eq!(result["alternatives"][0]["expression"], "any_folder > any_folder > files", "{result:#}");
    let options = result["questions"][0]["options"].as_array().unwrap();
    assert_eq!(options.len(), 2, "{result:#}");
}
