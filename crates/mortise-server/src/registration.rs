//! What can be wrong with a tool when it is registered.

use mortise_contract::contract::ContractError;
use mortise_contract::name::NameError;
use mortise_contract::schema::SchemaError;

/// Why a set of tools can't be served. Nothing is registered then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum RegistrationError {
    /// The tool's name is not one.
    #[error("tool `{tool}`")]
    BadName {
        /// The name as given.
        tool: String,
        #[source]
        source: NameError,
    },
    /// Two tools have the same name.
    #[error("two tools are named `{tool}`")]
    DuplicateName { tool: String },
    /// There is no such tool to replace.
    #[error("there is no tool `{tool}` to replace")]
    NoSuchTool { tool: String },
    /// The tool object is not one.
    #[error("tool `{tool}` is not a tool object")]
    NotATool {
        /// The name as given.
        tool: String,
        #[source]
        source: ContractError,
    },
    /// The input schema can't be used.
    #[error("the input schema of tool `{tool}` can't be used")]
    BadInputSchema {
        tool: String,
        #[source]
        source: SchemaError,
    },
    /// The root of the input schema is not `"type": "object"`, which every protocol version demands.
    #[error("the input schema of tool `{tool}` must have `\"type\": \"object\"` at its root")]
    InputNotObject { tool: String },
    /// The output schema can't be used.
    #[error("the output schema of tool `{tool}` can't be used")]
    BadOutputSchema {
        tool: String,
        #[source]
        source: SchemaError,
    },
    /// A typed tool was also given an output schema by hand, and it says something else than the type.
    #[error("the output schema given for tool `{tool}` is not that of its output type")]
    OutputSchemasDisagree { tool: String },
    /// Something else in the declaration is not as the protocol wants it: a name that some
    /// clients refuse, a field of the wrong type, an `x-mcp-header` that can't be one.
    #[error("tool `{tool}` at {pointer}: {reason}")]
    BadDeclaration {
        tool: String,
        /// JSON pointer into the tool object.
        pointer: String,
        reason: String,
    },
}
