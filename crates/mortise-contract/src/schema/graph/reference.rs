//! The edges that references add.

use serde_json::Value;

use super::{Dangling, GraphBuilder, Member, NodeId};
use crate::json::{escape_token, unescape_token};
use crate::schema::SchemaError;
use crate::schema::reference::{LeavesDocument, SchemaScope, fragment, member};

/// A reference that is still to be followed.
pub(super) struct OpenReference<'a> {
    from: NodeId,
    pointer: String,
    keyword: &'static str,
    text: &'a str,
    scope: SchemaScope,
}

impl<'a> OpenReference<'a> {
    /// The reference in a keyword, if the dialect has that keyword and the member is a string.
    pub(super) fn read(member: &Member<'a, '_>) -> Option<Self> {
        let keyword = member.keyword;
        keyword.is_in(member.scope.dialect).then_some(())?;
        Some(Self {
            from: member.at.node,
            pointer: format!("{}/{}", member.at.pointer, keyword.name),
            keyword: keyword.name,
            text: member.value.as_str()?,
            scope: member.scope.clone(),
        })
    }
}

impl<'a> GraphBuilder<'a> {
    /// Finds the targets of a reference and adds the edges to them.
    pub(super) fn follow(&mut self, reference: &OpenReference<'a>) -> Result<(), SchemaError> {
        let named = match self.names.targets(&reference.scope, reference.text) {
            Ok(named) => named,
            Err(leaving) => return self.leave_document(reference, &leaving),
        };
        let fragment = fragment(reference.text);
        let dynamic = match reference.keyword {
            "$recursiveRef" => self.names.dynamic(""),
            "$dynamicRef" if !fragment.starts_with('/') => self.names.dynamic(&fragment),
            _ => &[],
        };
        let dynamic = dynamic.iter().map(|pointer| pointer.to_string());
        let pointers: Vec<String> = dynamic.chain(named.into_iter().map(Into::into)).collect();
        let mut targets = Vec::new();
        for pointer in pointers {
            targets.extend(self.node_at(&pointer)?.filter(|target| !targets.contains(target)));
        }
        if targets.is_empty() {
            self.dangling
                .push(Dangling { pointer: reference.pointer.clone(), reference: reference.text.to_owned() });
        }
        self.nodes[reference.from].references.extend(targets);
        Ok(())
    }

    /// A reference to another document: fine for the meta-schema of the same dialect, which is built in, and refused
    /// otherwise.
    fn leave_document(
        &mut self,
        reference: &OpenReference<'a>,
        leaving: &LeavesDocument,
    ) -> Result<(), SchemaError> {
        let (family, _) = self.dialect.uri().rsplit_once('/').unwrap_or_default();
        let is_known = leaving.address.as_ref().is_some_and(|address| {
            address.starts_with(family) && referencing::SPECIFICATIONS.contains_resource(address)
        });
        if is_known {
            self.nodes[reference.from].meta = true;
            return Ok(());
        }
        Err(SchemaError::ExternalReference {
            reference: reference.text.to_owned(),
            pointer: reference.pointer.clone(),
        })
    }

    /// The node at a pointer; none if there is no such place.
    fn node_at(&mut self, pointer: &str) -> Result<Option<NodeId>, SchemaError> {
        if let Some(node) = self.places.get(pointer) {
            return Ok(Some(*node));
        }
        let (mut value, mut walked): (&'a Value, _) = (self.root, String::new());
        let mut scope = SchemaScope::around(self.dialect).enter(value, "");
        for token in pointer.split('/').skip(1) {
            let key = unescape_token(token);
            let Some(inner) = member(value, &key) else { return Ok(None) };
            value = inner;
            walked = format!("{walked}/{}", escape_token(&key));
            if self.places.contains_key(&walked) {
                scope = scope.enter(value, &walked);
            }
        }
        self.node(walked, value, &scope).map(Some)
    }
}
