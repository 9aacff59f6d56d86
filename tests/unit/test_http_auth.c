/* http/: passwords, judged beside the loop, and how often a stranger may try. */
#include "unit.h"

#include <crypt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/auth.h"

static const unsigned char peer_a[4] = { 192, 0, 2, 1 }, peer_b[4] = { 192, 0, 2, 2 };

struct world {
	sd_event *event;
	struct http_auth *auth;
	int n_done;
	enum http_auth_verdict last;
};

static void on_done(void *tag, enum http_auth_verdict verdict)
{
	struct world *w = tag;

	w->n_done++;
	w->last = verdict;
}

static int use(struct http_auth *auth, const char *user, const char *password)
{
	struct crypt_data data = { 0 };
	char *hash = crypt_r(password, "$2b$04$abcdefghijklmnopqrstuu", &data);
	struct web_user users[] = { { (char *)user, hash } };
	struct web_config config = { .users = users, .n_users = 1 };

	assert_non_null(hash);
	return http_auth_set_users(auth, &config);
}

static int start(void **state)
{
	static struct world w;

	w = (struct world){ 0 };
	*state = &w;
	if (sd_event_new(&w.event) < 0 || http_auth_new(w.event, &w.auth) < 0)
		return -1;
	return use(w.auth, "alice", "open sesame");
}

static int end(void **state)
{
	struct world *w = *state;

	http_auth_free(w->auth);
	sd_event_unref(w->event);
	return 0;
}

/* The verdict, waited for where it comes later. */
static enum http_auth_verdict ask(struct world *w, const char *user, const char *password, const void *peer, size_t n)
{
	enum http_auth_verdict v = http_auth_check(w->auth, user, password, peer, n, on_done, w);
	int before = w->n_done;

	if (v != HTTP_AUTH_LATER)
		return v;
	while (w->n_done == before)
		assert_true(sd_event_run(w->event, 10000000) > 0);
	return w->last;
}

static void the_header_has_strict_bounds(void **state)
{
	static const struct {
		const char *header, *user, *password;	/* NULL: refused */
	} rows[] = {
		{ "Basic YWxpY2U6b3Blbg==", "alice", "open" }, { "basic  YWxpY2U6b3Blbg== ", "alice", "open" },
		{ "Basic YTo=", "a", "" }, { "Basic OmI=", "", "b" }, { "Basic YTpiOmM=", "a", "b:c" },
		{ "Basic YWxpY2U=", NULL, NULL },		/* no colon */
		{ "Basic YTpiAA==", NULL, NULL },		/* a NUL */
		{ "Basic YTo", NULL, NULL }, { "Basic YT=v", NULL, NULL }, { "Basic Y===", NULL, NULL }, { "Basic ====", NULL, NULL },
		{ "Basic YTpi!mM=", NULL, NULL }, { "Basic ", NULL, NULL }, { "Basic", NULL, NULL }, { "", NULL, NULL },
		{ "Bearer YTo=", NULL, NULL }, { "BasicYTo=", NULL, NULL }, { NULL, NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct http_basic b;
		bool is_good = http_basic_parse(rows[i].header, &b);

		assert_int_equal(is_good, rows[i].user != NULL);
		assert_string_equal(b.user, rows[i].user ? rows[i].user : "");
		assert_string_equal(b.password, rows[i].password ? rows[i].password : "");
	}
}

static void lengths_have_a_limit(void **state)
{
	for (size_t n = 250; n < 3000; n++) {
		AUTO_TEXT header = TEXT_LIMIT(4000);
		struct http_basic b;

		text_add(&header, "Basic ");
		for (size_t i = 0; i < n; i++)
			text_add(&header, "OmJi");	/* ":bb" */
		assert_int_equal(http_basic_parse(header.at, &b), n * 3 - 1 <= HTTP_PASSWORD_BYTES_MAX);
	}
}

static void a_good_password_is_remembered(void **state)
{
	struct world *w = *state;

	assert_int_equal(http_auth_check(w->auth, "alice", "open sesame", peer_a, 4, on_done, w), HTTP_AUTH_LATER);
	while (!w->n_done)
		assert_true(sd_event_run(w->event, 10000000) > 0);
	assert_int_equal(w->last, HTTP_AUTH_GOOD);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(http_auth_check(w->auth, "alice", "open sesame", peer_a, 4, on_done, w), HTTP_AUTH_GOOD);
	assert_int_equal(w->n_done, 1);
	assert_int_equal(use(w->auth, "alice", "another"), 0);	/* forgotten with its hash */
	assert_int_equal(ask(w, "alice", "open sesame", peer_a, 4), HTTP_AUTH_WRONG);
	assert_int_equal(ask(w, "alice", "another", peer_a, 4), HTTP_AUTH_GOOD);
}

static void what_is_wrong_is_wrong(void **state)
{
	static const char *const rows[][2] = {
		{ "alice", "open sesam" }, { "alice", "" }, { "alice", "Open sesame" }, { "bob", "open sesame" }, { "", "" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(ask(w, rows[i][0], rows[i][1], peer_a, 4), HTTP_AUTH_WRONG);
		assert_int_equal(w->n_done, i + 1);	/* each went through the thread, the unknown user, too */
	}
}

static void who_tries_too_often_is_put_off_alone(void **state)
{
	const unsigned char six[3][16] = { { 0x20, 1, [15] = 1 }, { 0x20, 1, [8] = 9, [15] = 2 }, { 0x20, 1, [7] = 1 } };
	struct world *w = *state;
	int n = 0;

	assert_int_equal(ask(w, "alice", "open sesame", peer_a, 4), HTTP_AUTH_GOOD);
	while (n < 100 && ask(w, "alice", "wrong", peer_a, 4) == HTTP_AUTH_WRONG)
		n++;
	assert_in_range(n, 8, 10);	/* the good one did not count; a slow machine may have earned one more */
	assert_int_equal(ask(w, "alice", "open sesame", peer_a, 4), HTTP_AUTH_GOOD);	/* known: not delayed */
	assert_int_equal(ask(w, "alice", "wrong", peer_b, 4), HTTP_AUTH_WRONG);
	for (n = 0; n < 100 && ask(w, "alice", "wrong", six[0], 16) == HTTP_AUTH_WRONG; n++)
		;
	assert_in_range(n, 8, 10);
	assert_int_equal(ask(w, "alice", "wrong", six[1], 16), HTTP_AUTH_BUSY);	/* the same /64 */
	assert_int_equal(ask(w, "alice", "wrong", six[2], 16), HTTP_AUTH_WRONG);
}

static void strangers_together_have_a_limit(void **state)
{
	struct world *w = *state;
	int n_wrong = 0;

	for (unsigned i = 0; i < 60; i++) {
		const unsigned char peer[4] = { 10, 0, 0, (unsigned char)i };

		n_wrong += ask(w, "alice", "wrong", peer, 4) == HTTP_AUTH_WRONG;
	}
	assert_in_range(n_wrong, 24, 40);
}

static void who_went_away_hears_nothing(void **state)
{
	struct world *w = *state, gone = { 0 };

	for (int i = 0; i < 3; i++)
		assert_int_equal(http_auth_check(w->auth, "alice", "open sesame", peer_a, 4, on_done, &gone), HTTP_AUTH_LATER);
	http_auth_cancel(w->auth, &gone);
	assert_int_equal(ask(w, "alice", "wrong", peer_a, 4), HTTP_AUTH_WRONG);
	assert_int_equal(gone.n_done, 0);
}

static void an_end_in_the_midst_of_work_is_clean(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 5; i++)
		assert_int_equal(http_auth_check(w->auth, "alice", "x", peer_a, 4, on_done, w), HTTP_AUTH_LATER);
	http_auth_free(w->auth);
	w->auth = NULL;
	assert_int_equal(w->n_done, 0);
}

#define in_world(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_has_strict_bounds),
		cmocka_unit_test(lengths_have_a_limit),
		in_world(a_good_password_is_remembered),
		in_world(what_is_wrong_is_wrong),
		in_world(who_tries_too_often_is_put_off_alone),
		in_world(strangers_together_have_a_limit),
		in_world(who_went_away_hears_nothing),
		in_world(an_end_in_the_midst_of_work_is_clean),
	};

	return cmocka_run_group_tests_name("http_auth", tests, NULL, NULL);
}
