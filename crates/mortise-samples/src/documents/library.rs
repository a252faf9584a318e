//! The handbook of a company that does not exist.

use schemars::JsonSchema;
use serde::Serialize;

/// A document of the handbook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct HandbookDocument {
    pub(super) doc_id: &'static str,
    pub(super) title: &'static str,
    pub(super) content: &'static str,
    pub(super) tags: &'static [&'static str],
    #[schemars(extend("format" = "date"))]
    pub(super) updated: &'static str,
}

#[rustfmt::skip]
pub(super) const DOCUMENTS: &[HandbookDocument] = &[
    HandbookDocument { doc_id: "hb-01", title: "Travel policy", tags: &["policy", "travel"], updated: "2025-02-11",
        content: "Book trains for journeys under five hours and flights beyond that. Hotels may cost up to 140 a night, 190 in capitals. Ask your lead before booking anything above. Keep receipts: expenses without a receipt are paid up to 20." },
    HandbookDocument { doc_id: "hb-02", title: "Expense reports", tags: &["finance", "policy"], updated: "2025-06-30",
        content: "Hand in expenses by the fifth of the next month. Meals are paid up to 35 a day on travel. Expenses above 500 need the approval of finance. Reports are paid within ten days." },
    HandbookDocument { doc_id: "hb-03", title: "Security incidents", tags: &["policy", "security"], updated: "2025-09-02",
        content: "Report anything suspicious to the security desk within one hour, by phone if mail may be affected. Do not switch off the machine. The desk decides who is told. A review follows within five days, without blame." },
    HandbookDocument { doc_id: "hb-04", title: "Laptop and software", tags: &["security", "tools"], updated: "2025-04-18",
        content: "Laptops are encrypted and replaced every four years. Software comes from the catalogue; ask the security desk for anything else. Lost laptops are a security incident: report them within one hour." },
    HandbookDocument { doc_id: "hb-05", title: "Deploying a service", tags: &["engineering", "tools"], updated: "2025-10-07",
        content: "A deploy needs a green build and one review. Deploys run from Monday to Thursday before four o'clock. Watch the error rate for thirty minutes; roll back first and ask questions later." },
    HandbookDocument { doc_id: "hb-06", title: "On-call duty", tags: &["engineering", "policy"], updated: "2025-08-25",
        content: "On-call lasts one week and is paid 300. Answer a page within fifteen minutes. Hand over in writing every Monday at ten. After a night with more than two pages, take the next morning off." },
    HandbookDocument { doc_id: "hb-07", title: "Code review", tags: &["engineering"], updated: "2025-03-14",
        content: "Reviews begin within one working day. Review the change, not the author. Prefer small changes: above 400 lines, split. Two reviews are needed for anything that touches payments or security." },
    HandbookDocument { doc_id: "hb-08", title: "Holidays and leave", tags: &["people", "policy"], updated: "2025-01-09",
        content: "Everyone has 28 days of holiday. Tell your team two weeks before you take more than three days. Unused days expire at the end of March. Parental leave is described in its own document." },
    HandbookDocument { doc_id: "hb-09", title: "Parental leave", tags: &["people"], updated: "2025-05-21",
        content: "Both parents get sixteen weeks on full pay, to be taken within two years. You may return part-time for six months. Your lead keeps your projects warm and your calendar empty." },
    HandbookDocument { doc_id: "hb-10", title: "Hiring", tags: &["people"], updated: "2025-07-16",
        content: "Every role has a scorecard before it is posted. Four interviews at most, one of them a work sample. Decide within two working days; write to everyone, also to those we turn down." },
    HandbookDocument { doc_id: "hb-11", title: "Customer support", tags: &["customers", "policy"], updated: "2025-11-03",
        content: "First answers go out within four hours on working days. Refunds up to 100 need no approval, above that ask finance. Security reports by customers go to the security desk at once." },
    HandbookDocument { doc_id: "hb-12", title: "Quarterly planning", tags: &["finance", "people"], updated: "2025-09-29",
        content: "Plans are three pages: what we learned, what we do, what we stop. Budgets are fixed in the second week of the quarter. Finance publishes revenue and expenses by team." },
];
