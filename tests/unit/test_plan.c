/* poll/plan.c: which page comes when, with facts made by hand. */
#include "poll/drive_poll.h"

#include <stdlib.h>
#include <string.h>

#include "page/pages.h"
#include "unit.h"

enum { SECOND = 1000000, MINUTE = 60 * SECOND };

struct plan_world {
	struct device devices[3];
	struct drive drive;
	struct drive_poll poll;
};

static void begin(struct plan_world *w, enum transport transport)
{
	*w = (struct plan_world){ 0 };
	w->drive.devices = w->devices;
	w->drive.n_devices = 1;
	w->drive.facts.transport = transport;
	w->drive.facts.rpm = -1;
	w->devices[0].is_askable = true;
	w->devices[0].transport = transport;
	w->poll.drive = &w->drive;
}

/* As the poller does after a good answer. */
static const struct page *answer_next(struct plan_world *w, uint64_t now_us)
{
	struct plan_entry *entry;

	assert_int_equal(plan_extend(&w->poll), 0);
	entry = plan_next(&w->poll, now_us);
	if (!entry)
		return NULL;
	entry->answered_us = now_us;
	entry->answered_at_us = (int64_t)now_us;
	entry->due_us = entry->page->period_s ? now_us + plan_period(entry, MINUTE) : UINT64_MAX;
	return entry->page;
}

static void list_log_page(struct plan_world *w, unsigned code)
{
	w->drive.facts.has_log_list = true;
	facts_set_bit(w->drive.facts.log_pages, code);
}

static void the_first_page_comes_alone(void **state)
{
	struct plan_world w;

	for (enum transport t = TRANSPORT_SCSI; t < N_TRANSPORTS; t++) {
		static const struct page *const first[] = {
			[TRANSPORT_SCSI] = &scsi_inquiry, [TRANSPORT_ATA] = &ata_identify,
			[TRANSPORT_NVME] = &nvme_identify_controller,
		};

		begin(&w, t);
		assert_int_equal(plan_extend(&w.poll), 0);
		assert_int_equal(plan_extend(&w.poll), 0);	/* twice adds nothing twice */
		assert_int_equal(w.poll.n_entries, 1);
		assert_ptr_equal(plan_next(&w.poll, 1)->page, first[t]);
		plan_free(&w.poll);
	}
}

static void identity_goes_before_all_else(void **state)
{
	struct plan_world w;
	const struct page *page;

	begin(&w, TRANSPORT_SCSI);
	list_log_page(&w, 0x0d);
	list_log_page(&w, 0x2f);
	while ((page = answer_next(&w, SECOND)))
		assert_true(page->is_identity);
	assert_true(plan_is_identity_complete(&w.poll));
	w.drive.is_identified = true;
	while ((page = answer_next(&w, SECOND)))
		assert_false(page->is_identity);
	assert_non_null(plan_find(&w.poll, &scsi_temperature));
	plan_free(&w.poll);
}

static void pages_come_in_the_order_of_the_list(void **state)
{
	struct plan_world w;
	size_t at = 0;
	const struct page *page;

	begin(&w, TRANSPORT_SCSI);
	list_log_page(&w, 0x11);
	list_log_page(&w, 0x0d);
	list_log_page(&w, 0x02);
	while ((page = answer_next(&w, SECOND)) || !w.drive.is_identified) {
		if (!page) {		/* identity is told; the rest begins */
			w.drive.is_identified = true;
			continue;
		}
		for (at = page->is_identity ? at : 0; pages[at] && pages[at] != page; at++)
			;
		assert_non_null(pages[at]);
	}
	for (size_t i = 1; i < w.poll.n_entries; i++)
		assert_true(w.poll.entries[i - 1].order < w.poll.entries[i].order);
	assert_null(plan_find(&w.poll, &scsi_read_errors));	/* not on the drive's list */
	assert_non_null(plan_find(&w.poll, &scsi_write_errors));
	plan_free(&w.poll);
}

static void a_page_offered_later_finds_its_place(void **state)
{
	struct plan_world w;

	begin(&w, TRANSPORT_SCSI);
	w.drive.is_identified = true;
	list_log_page(&w, 0x11);
	while (answer_next(&w, SECOND))
		;
	list_log_page(&w, 0x2f);
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_informational_exceptions);
	for (size_t i = 1; i < w.poll.n_entries; i++)
		assert_true(w.poll.entries[i - 1].order < w.poll.entries[i].order);
	plan_free(&w.poll);
}

static void what_is_offered_no_longer_is_dropped(void **state)
{
	struct plan_world w;

	begin(&w, TRANSPORT_SCSI);
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_inquiry);
	assert_int_equal(plan_extend(&w.poll), 0);
	assert_non_null(plan_find(&w.poll, &scsi_vpd_serial));	/* before the list is known any page may be there */
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_vpd_list);
	w.drive.facts.has_vpd_list = true;			/* and it lists none */
	assert_null(answer_next(&w, SECOND));
	assert_null(plan_find(&w.poll, &scsi_vpd_serial));
	assert_null(plan_find(&w.poll, &scsi_vpd_identification));
	assert_true(plan_is_identity_complete(&w.poll));
	plan_free(&w.poll);
}

static void what_is_not_supported_is_never_due(void **state)
{
	struct plan_world w;

	begin(&w, TRANSPORT_SCSI);
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_inquiry);
	assert_int_equal(plan_extend(&w.poll), 0);
	plan_find(&w.poll, &scsi_vpd_list)->is_unsupported = true;
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_vpd_serial);
	assert_ptr_equal(answer_next(&w, SECOND), &scsi_vpd_identification);
	assert_null(answer_next(&w, SECOND));
	assert_true(plan_is_identity_complete(&w.poll));
	assert_true(plan_next_due(&w.poll) > SECOND);
	assert_ptr_equal(answer_next(&w, UINT64_MAX - 1), &scsi_inquiry);
	plan_free(&w.poll);
}

static void each_namespace_is_asked_for_itself(void **state)
{
	struct plan_world w;

	begin(&w, TRANSPORT_NVME);
	w.drive.n_devices = 3;
	w.devices[0].is_controller = true;
	w.devices[1].nsid = 1;
	w.devices[2].nsid = 7;
	assert_ptr_equal(answer_next(&w, SECOND), &nvme_identify_controller);
	assert_int_equal(answer_next(&w, SECOND)->command.key[KEY_IDENTIFY_NSID], 1);
	assert_int_equal(answer_next(&w, SECOND)->command.key[KEY_IDENTIFY_NSID], 7);
	assert_null(answer_next(&w, SECOND));
	assert_int_equal(w.poll.n_entries, 3);
	assert_true(plan_is_identity_complete(&w.poll));
	w.devices[2].nsid = 1;		/* two paths to one */
	assert_int_equal(plan_extend(&w.poll), 0);
	assert_int_equal(w.poll.n_entries, 3);
	plan_free(&w.poll);
}

static void a_deleted_namespace_is_asked_no_more(void **state)
{
	struct plan_world w;

	begin(&w, TRANSPORT_NVME);
	w.drive.n_devices = 3;
	w.devices[0].is_controller = true;
	w.devices[1].nsid = 1;
	w.devices[2].nsid = 7;
	for (int i = 0; i < 3; i++)
		assert_non_null(answer_next(&w, SECOND));
	w.drive.facts.n_namespaces = 2;
	w.drive.facts.namespaces[0] = (struct nvme_namespace){ .nsid = 1, .size_bytes = 4096 };
	w.drive.facts.namespaces[1] = (struct nvme_namespace){ .nsid = 7, .size_bytes = 8192 };
	w.poll.is_dirty = false;
	w.drive.n_devices = 2;
	assert_null(plan_next(&w.poll, SECOND));
	assert_int_equal(w.poll.n_entries, 2);
	assert_int_equal(w.drive.facts.n_namespaces, 1);	/* nor does it count for the capacity */
	assert_int_equal(w.drive.facts.namespaces[0].nsid, 1);
	assert_true(w.poll.is_dirty);
	readings_free(&w.poll);
	plan_free(&w.poll);
}

static void identity_that_fails_is_not_waited_for_for_ever(void **state)
{
	struct plan_world w;
	struct plan_entry *entry;

	begin(&w, TRANSPORT_SCSI);
	assert_false(plan_is_identity_complete(&w.poll));
	answer_next(&w, SECOND);
	answer_next(&w, SECOND);
	answer_next(&w, SECOND);
	entry = plan_find(&w.poll, &scsi_vpd_identification);
	assert_non_null(entry);
	assert_false(plan_is_identity_complete(&w.poll));
	entry->failures = 2;
	assert_false(plan_is_identity_complete(&w.poll));
	entry->failures = 3;
	assert_true(plan_is_identity_complete(&w.poll));
	entry->failures = 1;
	text_copy(w.drive.facts.model, sizeof w.drive.facts.model, "M");
	text_copy(w.drive.facts.serial, sizeof w.drive.facts.serial, "00000000");
	assert_false(plan_is_identity_complete(&w.poll));	/* a placeholder needs the name that this page may have */
	text_copy(w.drive.facts.serial, sizeof w.drive.facts.serial, "S1");
	assert_true(plan_is_identity_complete(&w.poll));	/* a serial does not */
	plan_free(&w.poll);
}

static void periods_scale_with_the_interval(void **state)
{
	struct plan_entry entry = { .page = &scsi_solid_state };

	assert_int_equal(plan_period(&entry, MINUTE), 600 * (uint64_t)SECOND);
	assert_int_equal(plan_period(&entry, 10 * SECOND), 100 * (uint64_t)SECOND);
	entry.page = &scsi_vpd_list;
	assert_int_equal(plan_period(&entry, MINUTE), 0);
}

/* ---- up */

static struct plan_world *healthy(void)
{
	struct plan_world *w = malloc(sizeof *w);

	begin(w, TRANSPORT_SCSI);
	list_log_page(w, 0x0d);
	list_log_page(w, 0x11);
	while (answer_next(w, SECOND))
		;
	w->drive.is_identified = true;
	while (answer_next(w, SECOND))
		;
	return w;
}

static void up_rests_on_the_health_pages(void **state)
{
	struct plan_world *w = healthy();

	assert_true(drive_poll_is_up(&w->poll, SECOND, MINUTE));
	assert_true(drive_poll_is_up(&w->poll, SECOND + 180 * (uint64_t)SECOND, MINUTE));
	assert_false(drive_poll_is_up(&w->poll, SECOND + 181 * (uint64_t)SECOND, MINUTE));
	plan_find(&w->poll, &scsi_temperature)->answered_us = 400 * (uint64_t)SECOND;
	assert_true(drive_poll_is_up(&w->poll, 401 * (uint64_t)SECOND, MINUTE));	/* page 11h is no health page */
	plan_find(&w->poll, &scsi_temperature)->answered_us = 0;
	assert_false(drive_poll_is_up(&w->poll, 401 * (uint64_t)SECOND, MINUTE));
	w->poll.has_power = true;
	w->poll.power = POWER_STANDBY;
	assert_true(drive_poll_is_up(&w->poll, 401 * (uint64_t)SECOND, MINUTE));
	w->poll.power = POWER_UNKNOWN;
	assert_false(drive_poll_is_up(&w->poll, 401 * (uint64_t)SECOND, MINUTE));
	plan_free(&w->poll);
	free(w);
}

static void without_health_pages_identity_must_do(void **state)
{
	struct plan_world *w = healthy();

	plan_find(&w->poll, &scsi_temperature)->is_unsupported = true;
	assert_true(drive_poll_is_up(&w->poll, 3 * 3600 * (uint64_t)SECOND, MINUTE));
	assert_int_equal(drive_poll_health_period(&w->poll, MINUTE), 3600 * (uint64_t)SECOND);
	assert_false(drive_poll_is_up(&w->poll, 4 * 3600 * (uint64_t)SECOND, MINUTE));
	w->drive.is_identified = false;
	assert_false(drive_poll_is_up(&w->poll, SECOND, MINUTE));
	plan_free(&w->poll);
	free(w);
}

static void the_oldest_health_value_is_told(void **state)
{
	struct plan_world *w = healthy();

	plan_find(&w->poll, &scsi_temperature)->answered_at_us = 5;
	assert_int_equal(drive_poll_oldest_health(&w->poll), 5);
	assert_int_equal(drive_poll_health_period(&w->poll, MINUTE), MINUTE);
	plan_find(&w->poll, &scsi_temperature)->answered_us = 0;
	assert_int_equal(drive_poll_oldest_health(&w->poll), 0);
	plan_free(&w->poll);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_page_comes_alone),
		cmocka_unit_test(identity_goes_before_all_else),
		cmocka_unit_test(pages_come_in_the_order_of_the_list),
		cmocka_unit_test(a_page_offered_later_finds_its_place),
		cmocka_unit_test(what_is_offered_no_longer_is_dropped),
		cmocka_unit_test(what_is_not_supported_is_never_due),
		cmocka_unit_test(each_namespace_is_asked_for_itself),
		cmocka_unit_test(a_deleted_namespace_is_asked_no_more),
		cmocka_unit_test(identity_that_fails_is_not_waited_for_for_ever),
		cmocka_unit_test(periods_scale_with_the_interval),
		cmocka_unit_test(up_rests_on_the_health_pages),
		cmocka_unit_test(without_health_pages_identity_must_do),
		cmocka_unit_test(the_oldest_health_value_is_told),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
