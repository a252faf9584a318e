//! Calling tools, reading resources, getting prompts.

use std::sync::Arc;

use mortise_contract::contract::IssueSeverity;
use mortise_contract::verdict::{JudgeOptions, judge};
use mortise_contract::{Contract, Mode, RawJson, ToolCall, ToolOutcome, ToolResult};
use tokio::sync::SemaphorePermit;

use super::{Upstream, kind_of, quoted};
use crate::call::{CallOptions, CallReport};
use crate::error::CallError;
use crate::paging::{self, ListMethod};
use crate::wire::{Connection, Exchange, RecordedExchange, Wait};

impl Upstream {
    /// Calls a tool and judges its result.
    ///
    /// A result that says `isError` is an outcome, not an error of this function. In strict mode
    /// a broken contract is [`CallError::Violation`], which carries the result.
    pub async fn call(&self, call: ToolCall, options: CallOptions) -> Result<ToolOutcome, CallError> {
        self.call_tool(&call, &options, None).await
    }

    /// The same, with every frame that was exchanged.
    pub async fn call_reported(&self, call: ToolCall, options: CallOptions) -> CallReport {
        let mut exchanges = Vec::new();
        let outcome = self.call_tool(&call, &options, Some(&mut exchanges)).await;
        CallReport { outcome, exchanges }
    }

    async fn call_tool(
        &self,
        call: &ToolCall,
        options: &CallOptions,
        exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<ToolOutcome, CallError> {
        let tool = call.tool.as_str();
        if kind_of(&call.arguments) != "an object" {
            return Err(CallError::Arguments { tool: tool.to_owned(), found: kind_of(&call.arguments) });
        }
        let wait = self.wait(options);
        let connection = self.connection(&wait).await?;
        let contract = self.contract(tool).await?;
        let judging = self.judging(tool, options, &connection);
        self.check_callable(&contract, &judging)?;
        let _slot = self.slot(tool, &wait).await?;
        let params = format!(r#""name":{},"arguments":{}"#, quoted(tool), call.arguments.text());
        let mut exchange = Exchange::new("tools/call", params);
        exchange.progress = options.progress.clone();
        exchange.meta = options.meta.clone();
        exchange.record = exchanges.is_some();
        let exchange = Arc::new(exchange);
        let answered = connection.request(exchange.clone(), tool, &wait).await;
        if let Some(exchanges) = exchanges {
            exchanges.push(exchange.recorded());
        }
        let result = ToolResult::parse(answered?).map_err(|error| self.broken(tool, error.to_string()))?;
        let elapsed = exchange.elapsed().unwrap_or_default();
        let mut verdict = judge(&contract, &result, &judging, &self.inner.shared.schemas);
        verdict.ms = Some(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
        let refused = verdict.is_refused();
        let outcome = ToolOutcome { result, verdict, elapsed };
        if refused {
            let server = self.name().clone();
            return Err(CallError::Violation { server, tool: tool.to_owned(), outcome: Box::new(outcome) });
        }
        Ok(outcome)
    }

    /// All resources, verbatim, from all pages.
    pub async fn resources(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.list(paging::RESOURCES, &options).await
    }

    /// All resource templates, verbatim, from all pages.
    pub async fn resource_templates(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.list(paging::TEMPLATES, &options).await
    }

    /// All prompts, verbatim, from all pages.
    pub async fn prompts(&self, options: CallOptions) -> Result<Vec<RawJson>, CallError> {
        self.list(paging::PROMPTS, &options).await
    }

    /// The result of `resources/read`, verbatim.
    pub async fn read_resource(&self, uri: &str, options: CallOptions) -> Result<RawJson, CallError> {
        self.ask("resources/read", format!(r#""uri":{}"#, quoted(uri)), uri, &options).await
    }

    /// The result of `prompts/get`, verbatim. `arguments` is a JSON object.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Option<&RawJson>,
        options: CallOptions,
    ) -> Result<RawJson, CallError> {
        let mut params = format!(r#""name":{}"#, quoted(name));
        if let Some(arguments) = arguments {
            params.push_str(r#","arguments":"#);
            params.push_str(arguments.text());
        }
        self.ask("prompts/get", params, name, &options).await
    }

    /// The result of `completion/complete`, verbatim. `params` is the JSON object to send.
    pub async fn complete(&self, params: &RawJson, options: CallOptions) -> Result<RawJson, CallError> {
        let members = params.text().trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(members) = members else {
            return Err(CallError::Arguments {
                tool: "completion/complete".to_owned(),
                found: kind_of(params),
            });
        };
        self.ask("completion/complete", members.trim().to_owned(), "completion/complete", &options).await
    }

    async fn list(&self, list: ListMethod, options: &CallOptions) -> Result<Vec<RawJson>, CallError> {
        let wait = self.wait(options);
        let connection = self.connection(&wait).await?;
        paging::read_all(&connection, self.name(), list, wait.timeout, &wait.cancel).await
    }

    async fn ask(
        &self,
        method: &'static str,
        params: String,
        subject: &str,
        options: &CallOptions,
    ) -> Result<RawJson, CallError> {
        let wait = self.wait(options);
        let connection: Arc<Connection> = self.connection(&wait).await?;
        let _slot = self.slot(subject, &wait).await?;
        let mut exchange = Exchange::new(method, params);
        exchange.progress = options.progress.clone();
        exchange.meta = options.meta.clone();
        connection.request(Arc::new(exchange), subject, &wait).await
    }

    /// What is known of a tool. An unknown one is looked for in a fresh list first.
    async fn contract(&self, tool: &str) -> Result<Arc<Contract>, CallError> {
        if let Some(contract) = self.catalog().get(tool) {
            return Ok(contract.clone());
        }
        let listed = self.refresh().await.ok().and_then(|catalog| catalog.get(tool).cloned());
        match listed {
            Some(contract) => Ok(contract),
            // The server has the last word on what it can do.
            None => {
                let bare = format!(r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#, quoted(tool));
                let raw = RawJson::parse(&bare).map_err(|error| self.broken(tool, error.to_string()))?;
                Contract::parse(raw).map(Arc::new).map_err(|error| self.broken(tool, error.to_string()))
            }
        }
    }

    fn judging(&self, tool: &str, options: &CallOptions, connection: &Connection) -> JudgeOptions {
        let pool = &self.inner.shared.options;
        let config = &self.inner.config;
        let configured = config.tool_modes.get(tool).copied().or(config.mode);
        JudgeOptions {
            mode: options.mode.or(configured).unwrap_or(pool.mode),
            forbid_unschematised: pool.forbid_unschematised,
            era: Some(connection.facts().era),
            schema: pool.schema.clone(),
        }
    }

    fn check_callable(&self, contract: &Contract, judging: &JudgeOptions) -> Result<(), CallError> {
        let server = self.name().clone();
        let tool = contract.name.as_str().to_owned();
        let unusable = contract.issues.iter().find(|issue| issue.severity == IssueSeverity::Unusable);
        if let Some(issue) = unusable {
            let reason = format!("{}: {}", issue.pointer, issue.message);
            return Err(CallError::NotCallable { server, tool, reason });
        }
        if judging.mode == Mode::Strict
            && let Some(Err(error)) = contract.compiled_output(&judging.schema, &self.inner.shared.schemas)
        {
            return Err(CallError::SchemaUnusable { server, tool, reason: error.to_string() });
        }
        Ok(())
    }

    /// Waits for a turn, first come first served.
    async fn slot(&self, subject: &str, wait: &Wait) -> Result<SemaphorePermit<'_>, CallError> {
        let server = self.name().clone();
        let subject = subject.to_owned();
        tokio::select! {
            biased;
            () = wait.cancel.cancelled() => Err(CallError::Cancelled { server, subject }),
            slot = self.inner.slots.acquire() => slot.map_err(|_| self.not_connected()),
            () = tokio::time::sleep_until(wait.deadline) => {
                Err(CallError::Timeout { server, subject, after: wait.timeout })
            }
        }
    }

    fn broken(&self, subject: &str, detail: String) -> CallError {
        CallError::Protocol { server: self.name().clone(), subject: subject.to_owned(), detail }
    }
}
