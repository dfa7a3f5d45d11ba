"""All routes of the annotation app and who may call them. A test calls every route in every role."""

from __future__ import annotations

from ..server.calls import ADMINISTRATOR, MANAGERS, MEGABYTE, MEMBERS, REVIEWERS, USERS, WORKERS
from .calls import (
    ProjectRule,
    may_change_assignment,
    may_edit_layer,
    may_see_attempt,
    may_see_layer,
    may_submit_attempt,
    may_work_on,
)
from .views import comparison, editor, history, imports, projects, quality, work

PROJECT = "/projects/{project:int}"
DOCUMENT = f"{PROJECT}/documents/{{document:int}}"
LAYER = f"{DOCUMENT}/layers/{{layer:int}}"
ASSIGNMENT = f"{PROJECT}/assignments/{{assignment:int}}"
ATTEMPT = f"{PROJECT}/attempts/{{attempt:int}}"
UPLOAD = 200 * MEGABYTE
OPERATIONS = 8 * MEGABYTE
EDITORS = WORKERS | ADMINISTRATOR

PROJECT_RULES: tuple[ProjectRule, ...] = (
    ProjectRule("GET", "/history", history.whole_history, ADMINISTRATOR),
    ProjectRule("GET", "/", projects.projects_page, USERS),
    ProjectRule("POST", "/projects", projects.add_project, ADMINISTRATOR),
    ProjectRule("GET", PROJECT, projects.project_page, MEMBERS),
    ProjectRule("POST", PROJECT, projects.change_project, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/invitations", projects.invite, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/members/{{user:int}}", projects.change_member, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/documents", imports.import_documents, MANAGERS, body="upload", most=UPLOAD),
    ProjectRule("GET", f"{PROJECT}/export", imports.export_project, REVIEWERS),
    ProjectRule("POST", f"{PROJECT}/assignments", projects.assign, MANAGERS),
    ProjectRule("POST", f"{ASSIGNMENT}/begin", projects.begin, EDITORS, assignment=may_work_on),
    ProjectRule("POST", ASSIGNMENT, projects.change_assignment, EDITORS, assignment=may_change_assignment),
    ProjectRule("GET", f"{PROJECT}/work", work.work_page, WORKERS),
    ProjectRule("POST", f"{PROJECT}/work/next", work.next_document, WORKERS),
    ProjectRule("GET", f"{PROJECT}/progress", work.progress_page, MANAGERS),
    ProjectRule("GET", f"{PROJECT}/history", history.project_history, MANAGERS),
    ProjectRule("GET", f"{PROJECT}/dealing", work.dealing_page, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/dealing", work.deal_out, MANAGERS),
    ProjectRule("GET", f"{PROJECT}/settings", projects.settings_page, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/settings/work", projects.set_work, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/settings/schema", projects.set_schema, MANAGERS, most=MEGABYTE),
    ProjectRule("POST", f"{PROJECT}/settings/assessment", projects.set_standard, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/settings/shared", editor.set_sharing, MANAGERS),
    ProjectRule("GET", f"{PROJECT}/schema", projects.schema_page, MEMBERS),
    ProjectRule("GET", f"{PROJECT}/assessment", quality.assessment_page, EDITORS),
    ProjectRule("POST", f"{PROJECT}/members/{{user:int}}/exempt", quality.set_exempt, MANAGERS),
    ProjectRule("POST", f"{DOCUMENT}/assessment", quality.change_assessment, MANAGERS),
    ProjectRule("POST", f"{DOCUMENT}/attempts", quality.begin, WORKERS),
    ProjectRule("GET", ATTEMPT, quality.feedback_page, EDITORS, attempt=may_see_attempt),
    ProjectRule("POST", f"{ATTEMPT}/hand-in", quality.hand_in, WORKERS, attempt=may_submit_attempt),
    ProjectRule("POST", f"{ATTEMPT}/again", quality.allow_again, MANAGERS, attempt=may_see_attempt),
    ProjectRule("POST", f"{DOCUMENT}/delete", projects.delete_document, MANAGERS),
    ProjectRule("POST", f"{DOCUMENT}/layers", projects.add_layer, REVIEWERS),
    ProjectRule("GET", f"{LAYER}/edit", editor.edit_page, MEMBERS, layer=may_see_layer),
    ProjectRule("GET", f"{LAYER}/data", editor.layer_data, MEMBERS, layer=may_see_layer, is_data=True),
    ProjectRule("GET", f"{LAYER}/shared", editor.list_shared_entities, MEMBERS, layer=may_see_layer, is_data=True),
    ProjectRule("GET", f"{LAYER}/operations", editor.layer_log, MEMBERS, layer=may_see_layer, is_data=True),
    ProjectRule(
        "POST",
        f"{LAYER}/operations",
        editor.append,
        EDITORS,
        layer=may_edit_layer,
        body="json",
        most=OPERATIONS,
        is_data=True,
    ),
    ProjectRule("GET", f"{LAYER}/export", imports.export_layer, MEMBERS, layer=may_see_layer),
    ProjectRule("POST", f"{LAYER}/publish", projects.publish_layer, REVIEWERS, layer=may_see_layer),
    ProjectRule("POST", f"{PROJECT}/imports", imports.upload, MANAGERS, body="upload", most=UPLOAD),
    ProjectRule("GET", f"{PROJECT}/imports/{{secret}}", imports.preview_page, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/imports/{{secret}}", imports.confirm, MANAGERS),
    ProjectRule("GET", f"{PROJECT}/agreement", quality.agreement_page, REVIEWERS),
    ProjectRule("GET", f"{PROJECT}/quality", quality.quality_page, REVIEWERS),
    ProjectRule("POST", f"{PROJECT}/votes", quality.vote, REVIEWERS),
    ProjectRule("GET", f"{PROJECT}/suggestions", editor.settings_page, MANAGERS),
    ProjectRule("POST", f"{PROJECT}/suggestions", editor.change_settings, MANAGERS),
    ProjectRule("GET", f"{DOCUMENT}/compare", comparison.compare_page, REVIEWERS),
    ProjectRule("POST", f"{DOCUMENT}/adjudications", comparison.start, REVIEWERS),
    ProjectRule("GET", f"{LAYER}/adjudicate", comparison.adjudicate_page, REVIEWERS, layer=may_edit_layer),
    ProjectRule("POST", f"{LAYER}/decisions", comparison.decide, REVIEWERS, layer=may_edit_layer),
    ProjectRule("POST", f"{LAYER}/finish", comparison.finish, EDITORS, layer=may_edit_layer),
    ProjectRule("GET", f"{LAYER}/origin", quality.origin_page, REVIEWERS, layer=may_see_layer),
    ProjectRule("GET", f"{LAYER}/suggestions", editor.suggestions_page, EDITORS, layer=may_edit_layer),
    ProjectRule("POST", f"{LAYER}/suggestions", editor.ask_for, EDITORS, layer=may_edit_layer),
    ProjectRule("POST", f"{LAYER}/suggestions/decide", editor.decide, EDITORS, layer=may_edit_layer),
)
