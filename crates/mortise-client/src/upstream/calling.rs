//! Calling tools, reading resources, getting prompts.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use mortise_contract::contract::IssueSeverity;
use mortise_contract::json::{JsonKind, RawObject};
use mortise_contract::schema::{SchemaError, SchemaOptions};
use mortise_contract::verdict::{JudgeOptions, Status, judge, judge_at_once};
use mortise_contract::{
    CompiledSchema, Contract, Mode, RawJson, SchemaCache, ToolCall, ToolOutcome, ToolResult, Verdict,
};
use tokio::time::Instant;

use super::Upstream;
use super::rounds::{Answered, UpstreamQuestion};
use super::tasks::{task_member, task_of};
use crate::call::{CallOptions, CallReport};
use crate::error::CallError;
use crate::facts::{Era, ServerFacts};
use crate::limits;
use crate::paging::{self, ListMethod, ListReader};
use crate::param_header::name_header;
use crate::places::{CallPlace, Caller};
use crate::wire::{RecordedExchange, UpstreamConnection, Wait};

impl Upstream {
    /// Calls a tool and judges its result.
    ///
    /// A result that says `isError` is an outcome, not an error of this function. In strict mode
    /// a broken contract is [`CallError::Violation`], which carries the result.
    pub async fn call(&self, call: ToolCall, options: CallOptions) -> Result<ToolOutcome, CallError> {
        self.call_tool(&call, &options, None).await.map_err(|error| self.redacted(error))
    }

    /// [`Upstream::call`], with every frame that was exchanged.
    pub async fn call_reported(&self, call: ToolCall, options: CallOptions) -> CallReport {
        let mut exchanges = Vec::new();
        let outcome = self.call_tool(&call, &options, Some(&mut exchanges)).await;
        CallReport { outcome: outcome.map_err(|error| self.redacted(error)), exchanges }
    }

    fn redacted(&self, error: CallError) -> CallError {
        error.redacted(&self.inner.secrets)
    }

    async fn call_tool(
        &self,
        call: &ToolCall,
        options: &CallOptions,
        exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<ToolOutcome, CallError> {
        let tool = call.tool.as_str();
        if call.arguments.kind() != JsonKind::Object {
            let found = call.arguments.kind().to_string();
            return Err(CallError::Arguments { tool: tool.to_owned(), found });
        }
        let wait = self.wait(options);
        // Before the connection, which may be lost and the tool declared anew while other calls are under way.
        let _place = self.place(tool, &wait, &options.caller).await?;
        let connection = self.connection(&wait).await?;
        if options.up_to_date {
            self.catch_up(&connection, tool, &wait).await?;
        }
        let contract = self.contract(tool, &wait).await?;
        let is_listed = |declared: &Arc<Contract>| {
            let catalog = self.catalog();
            catalog.get(tool).is_some_and(|listed| listed.raw.text() == declared.raw.text())
        };
        if !options.declared.as_ref().is_none_or(is_listed) {
            return Err(CallError::Redeclared { server: self.name().clone(), tool: tool.to_owned() });
        }
        let judging = self.judging(tool, options, &connection);
        self.check_callable(&contract, &judging, &wait).await?;
        let hints = contract.hints();
        let era = connection.facts().era;
        let mut params = RawObject::default()
            .with("name", RawJson::string(tool))
            .with("arguments", call.arguments.clone());
        let needs_task = contract.requires_task() && era == Era::Legacy;
        if needs_task {
            params.set("task", task_member(&wait));
        }
        let question = UpstreamQuestion {
            method: "tools/call",
            params,
            subject: tool,
            headers: self.headers(&connection, tool, Some(&call.arguments)),
            repeatable: hints.read_only || hints.idempotent,
            options,
        };
        let mut exchanges = exchanges;
        let asked = self.ask_in_rounds(&connection, &question, &wait, exchanges.as_deref_mut());
        let Answered { mut raw, mut elapsed } = asked.await?;
        if (needs_task || era == Era::Modern)
            && let Some(task) = task_of(&raw, era)
        {
            let started = Instant::now();
            raw = self.task_result(&connection, &question, task, &wait, exchanges).await?;
            elapsed += started.elapsed();
        }
        let result = ToolResult::parse(raw).map_err(|error| self.broken(tool, error.to_string()))?;
        if era == Era::Modern && !result.is_complete() {
            let kind = result.result_type.unwrap_or_default();
            return Err(self.broken(tool, format!("a result of type `{kind}` was not asked for")));
        }
        let judged = self.judge_result(contract.clone(), result, judging.clone(), &options.caller);
        let (result, mut verdict) = self.within(tool, &wait, judged).await??;
        if matches!(verdict.status, Status::Unchecked { .. })
            && let Some(Err(error)) = contract.compiled_output(&judging.schema, &self.inner.shared.schemas)
        {
            self.inner.rejected.log(self.name(), &contract, &error);
        }
        verdict.ms = Some(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
        let refused = verdict.is_refused();
        let outcome = ToolOutcome { result, verdict, elapsed };
        if refused {
            let server = self.name().clone();
            return Err(CallError::Violation { server, tool: tool.to_owned(), outcome: Box::new(outcome) });
        }
        Ok(outcome)
    }

    /// All tools, verbatim, from all pages, asked for now. The catalogue stays as it is.
    pub async fn tools(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.read_list(paging::TOOLS, &options).await
    }

    /// All resources, verbatim, from all pages.
    pub async fn resources(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.read_list(paging::RESOURCES, &options).await
    }

    /// All resource templates, verbatim, from all pages.
    pub async fn resource_templates(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.read_list(paging::TEMPLATES, &options).await
    }

    /// All prompts, verbatim, from all pages.
    pub async fn prompts(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.read_list(paging::PROMPTS, &options).await
    }

    /// The result of `resources/read`, verbatim.
    pub async fn read_resource(&self, uri: &str, options: CallOptions) -> Result<RawJson, CallError> {
        let params = RawObject::default().with("uri", RawJson::string(uri));
        self.ask_server("resources/read", params, uri, &options).await
    }

    /// The result of `prompts/get`, verbatim. `arguments` is a JSON object.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Option<&RawJson>,
        options: CallOptions,
    ) -> Result<RawJson, CallError> {
        let mut params = RawObject::default().with("name", RawJson::string(name));
        if let Some(arguments) = arguments {
            params.set("arguments", arguments.clone());
        }
        self.ask_server("prompts/get", params, name, &options).await
    }

    /// The result of `completion/complete`, verbatim. `params` is the JSON object to send.
    pub async fn complete(&self, params: &RawJson, options: CallOptions) -> Result<RawJson, CallError> {
        const METHOD: &str = "completion/complete";
        let Some(members) = RawObject::of(params) else {
            let found = params.kind().to_string();
            return Err(CallError::Arguments { tool: METHOD.to_owned(), found });
        };
        self.ask_server(METHOD, members, METHOD, &options).await
    }

    /// Asks the server for log messages from this level on, until the connection ends.
    ///
    /// Nothing is sent to a server without log messages, or to one of the modern era, where each request carries its
    /// level.
    pub async fn set_log_level(&self, level: &str, options: CallOptions) -> Result<(), CallError> {
        let is_asked = |facts: &ServerFacts| facts.era == Era::Legacy && facts.has("logging");
        if !self.facts().is_some_and(|facts| is_asked(&facts)) {
            return Ok(());
        }
        let params = RawObject::default().with("level", RawJson::string(level));
        self.ask_server("logging/setLevel", params, "logging/setLevel", &options).await.map(|_| ())
    }

    async fn read_list(&self, list: ListMethod, options: &CallOptions) -> Result<Vec<RawJson>, CallError> {
        let wait = self.wait(options);
        let connection = self.connection(&wait).await?;
        let reader =
            ListReader { connection: &connection, server: self.name(), record: options.record.as_ref() };
        reader.read_all(list, wait.timeout, &wait.cancel).await.map_err(|error| self.redacted(error))
    }

    async fn ask_server(
        &self,
        method: &'static str,
        params: RawObject,
        subject: &str,
        options: &CallOptions,
    ) -> Result<RawJson, CallError> {
        let wait = self.wait(options);
        let _place = self.place(subject, &wait, &options.caller).await?;
        let connection: Arc<UpstreamConnection> = self.connection(&wait).await?;
        let headers = match method {
            "completion/complete" => Vec::new(),
            _ => self.headers(&connection, subject, None),
        };
        let question = UpstreamQuestion { method, params, subject, headers, repeatable: true, options };
        let answered = self.ask_in_rounds(&connection, &question, &wait, None).await;
        answered.map(|answered| answered.raw).map_err(|error| self.redacted(error))
    }

    /// The headers of the modern protocol that depend on what is asked.
    pub(super) fn headers(
        &self,
        connection: &UpstreamConnection,
        name: &str,
        arguments: Option<&RawJson>,
    ) -> Vec<(HeaderName, HeaderValue)> {
        if !connection.is_http() || connection.facts().era != Era::Modern {
            return Vec::new();
        }
        let mut headers: Vec<_> = name_header(name).into_iter().collect();
        let catalog = self.inner.catalog.load();
        if let (Some(arguments), Some(params)) = (arguments, catalog.param_headers(name)) {
            headers.extend(params.of(arguments));
        }
        headers
    }

    /// Judges a result, on a blocking thread if that may take long. A large result waits for its turn and keeps it until
    /// its check has ended, even when the call has given up.
    async fn judge_result(
        &self,
        contract: Arc<Contract>,
        result: ToolResult,
        judging: JudgeOptions,
        caller: &Caller,
    ) -> Result<(ToolResult, Verdict), CallError> {
        if let Some(verdict) = judge_at_once(&contract, &result, &judging, &self.inner.shared.schemas) {
            return Ok((result, verdict));
        }
        let tool = contract.name.clone();
        let turn = match result.raw.text().len() > limits::LARGE_RESULT {
            true => self.inner.shared.judgements.enter(caller).await,
            false => None,
        };
        let judged = self.aside(move |schemas| {
            let _turn = turn;
            let verdict = judge(&contract, &result, &judging, schemas);
            (result, verdict)
        });
        judged.await.ok_or_else(|| self.broken(tool.as_str(), "it could not be judged".to_owned()))
    }

    /// Does work that may take long on a blocking thread; `None` if it panics.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SchemaCache) -> T + Send + 'static,
    ) -> Option<T> {
        let shared = self.inner.shared.clone();
        tokio::task::spawn_blocking(move || work(&shared.schemas)).await.ok()
    }

    /// The contract of a tool. If the tool is unknown, the list is read again first, within the time of the call.
    async fn contract(&self, tool: &str, wait: &Wait) -> Result<Arc<Contract>, CallError> {
        if let Some(contract) = self.catalog().get(tool) {
            return Ok(contract.clone());
        }
        let refreshed = self.within(tool, wait, self.refresh()).await?;
        match refreshed.ok().and_then(|catalog| catalog.get(tool).cloned()) {
            Some(contract) => Ok(contract),
            // The server may know tools that it does not list.
            None => {
                let input = RawObject::default().with("type", RawJson::string("object"));
                let bare = RawObject::default()
                    .with("name", RawJson::string(tool))
                    .with("inputSchema", input.into_json());
                Contract::parse(bare.into_json())
                    .map(Arc::new)
                    .map_err(|error| self.broken(tool, error.to_string()))
            }
        }
    }

    /// How results of a tool are checked, unless a call says otherwise.
    pub fn mode(&self, tool: &str) -> Mode {
        let config = &self.inner.config;
        let configured = config.tool_modes.get(tool).copied().or(config.mode);
        configured.unwrap_or(self.inner.shared.options.mode)
    }

    fn judging(&self, tool: &str, options: &CallOptions, connection: &UpstreamConnection) -> JudgeOptions {
        let (config, pool) = (&self.inner.config, &self.inner.shared.options);
        JudgeOptions {
            mode: options.mode.unwrap_or_else(|| self.mode(tool)),
            forbid_unschematised: config.forbid_unschematised.unwrap_or(pool.forbid_unschematised),
            era: Some(connection.facts().era),
            schema: self.inner.schema_options(),
        }
    }

    async fn check_callable(
        &self,
        contract: &Arc<Contract>,
        judging: &JudgeOptions,
        wait: &Wait,
    ) -> Result<(), CallError> {
        let server = self.name().clone();
        let tool = contract.name.as_str().to_owned();
        let unusable = contract.issues.iter().find(|issue| issue.severity == IssueSeverity::Unusable);
        if let Some(issue) = unusable {
            let reason = format!("{}: {}", issue.pointer, issue.message);
            return Err(CallError::NotCallable { server, tool, reason });
        }
        if judging.mode != Mode::Strict || !contract.declares_output() {
            return Ok(());
        }
        let compiled = self.within(&tool, wait, self.compiled_output(contract, &judging.schema)).await?;
        let reason = match compiled {
            Some(Ok(_)) => return Ok(()),
            Some(Err(error)) => error.to_string(),
            None => "it could not be compiled".to_owned(),
        };
        Err(CallError::SchemaUnusable { server, tool, reason })
    }

    /// The output schema compiled. Compiling it for the first time holds up no other call.
    async fn compiled_output(
        &self,
        contract: &Arc<Contract>,
        options: &SchemaOptions,
    ) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        if let Some(known) = contract.known_output(options, &self.inner.shared.schemas) {
            return Some(known);
        }
        let (contract, options) = (contract.clone(), options.clone());
        self.aside(move |schemas| contract.compiled_output(&options, schemas)).await.flatten()
    }

    /// Waits for a turn.
    async fn place(&self, subject: &str, wait: &Wait, caller: &Caller) -> Result<CallPlace, CallError> {
        let place = self.within(subject, wait, self.inner.places.enter(caller)).await?;
        place.ok_or_else(|| self.not_connected())
    }

    /// Has the list read again until it holds what the server has announced.
    async fn catch_up(
        &self,
        connection: &UpstreamConnection,
        tool: &str,
        wait: &Wait,
    ) -> Result<(), CallError> {
        loop {
            let catalog = self.catalog();
            if let Some(reason) = &catalog.stale {
                let reason = format!("the server's tools changed, and the list can't be read: {reason}");
                let (server, tool) = (self.name().clone(), tool.to_owned());
                return Err(CallError::NotCallable { server, tool, reason });
            }
            if catalog.seen == *connection.changes().borrow() {
                return Ok(());
            }
            self.within(tool, wait, self.refresh()).await??;
        }
    }

    /// Does some work within the time of the call.
    async fn within<T>(
        &self,
        subject: &str,
        wait: &Wait,
        work: impl Future<Output = T>,
    ) -> Result<T, CallError> {
        tokio::select! {
            biased;
            () = wait.cancel.cancelled() => Err(self.cancelled(subject)),
            done = work => Ok(done),
            () = tokio::time::sleep_until(wait.deadline) => Err(self.timed_out(subject, wait)),
        }
    }

    pub(super) fn broken(&self, subject: &str, detail: String) -> CallError {
        CallError::Protocol { server: self.name().clone(), subject: subject.to_owned(), detail }
    }
}
