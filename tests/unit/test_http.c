/* http/: requests of every kind, and what is answered. */
#include "http_world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void metrics_come_as_prometheus_wants_them(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
	assert_header(&answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8");
	assert_header(&answer, "Content-Length: 11");
	assert_string_equal(body_of(&answer), "drive_up 1\n");
	assert_int_equal(w->n_scrapes, 1);	/* a request is one scrape */

	talk(w, REQUEST("GET /metrics?collect[]=x&y"), &answer);
	assert_string_equal(body_of(&answer), "drive_up 1\n");
	talk(w, "GET /metrics HTTP/1.0\r\n\r\n", &answer);
	assert_string_equal(body_of(&answer), "drive_up 1\n");
}

static void head_is_get_without_the_body(void **state)
{
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	talk(*state, REQUEST("HEAD /metrics"), &answer);
	assert_status(&answer, 200);
	assert_header(&answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8");
	assert_header(&answer, "Content-Length: 11");
	assert_string_equal(body_of(&answer), "");
	talk(*state, REQUEST("HEAD /-/healthy"), &answer);
	assert_status(&answer, 200);
	assert_string_equal(body_of(&answer), "");
}

static void other_methods_are_told_which_there_are(void **state)
{
	static const char *const requests[] = {
		REQUEST("POST /metrics"), REQUEST("PUT /"), REQUEST("DELETE /metrics"), REQUEST("OPTIONS /metrics"),
		REQUEST("PATCH /none"), REQUEST("get /metrics"), REQUEST("TRACE /"),
		"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
	};
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		talk(w, requests[i], &answer);
		assert_status(&answer, 405);
		assert_header(&answer, "Allow: GET, HEAD");
	}
	assert_int_equal(w->n_scrapes, 0);
}

static void other_paths_are_not_found(void **state)
{
	static const char *const requests[] = {
		REQUEST("GET /metrics/"), REQUEST("GET /metric"), REQUEST("GET //"), REQUEST("GET /-/"),
		REQUEST("GET /../etc/passwd"), REQUEST("GET /Metrics"), REQUEST("HEAD /favicon.ico"),
	};
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		talk(*state, requests[i], &answer);
		assert_status(&answer, 404);
	}
}

static void the_index_is_a_page_that_may_do_nothing(void **state)
{
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	talk(*state, REQUEST("GET /"), &answer);
	assert_status(&answer, 200);
	assert_header(&answer, "Content-Type: text/html; charset=utf-8");
	assert_header(&answer, "X-Content-Type-Options: nosniff");
	assert_header(&answer, "Referrer-Policy: no-referrer");
	assert_non_null(strstr(answer.at, "\r\nContent-Security-Policy: default-src 'none'; "));
	assert_non_null(strstr(answer.at, "frame-ancestors 'none'"));
	assert_string_equal(body_of(&answer), "<!DOCTYPE html><title>drives</title>\n");
}

static void health_and_readiness_are_told(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	talk(w, REQUEST("GET /-/healthy"), &answer);
	assert_status(&answer, 200);
	assert_string_equal(body_of(&answer), "drive_exporter is healthy.\n");
	talk(w, REQUEST("GET /-/ready"), &answer);
	assert_status(&answer, 503);
	w->is_ready = true;
	talk(w, REQUEST("GET /-/ready"), &answer);
	assert_status(&answer, 200);
}

static void a_connection_serves_again_and_again(void **state)
{
	struct world *w = *state;
	AUTO_FD fd = connect_to("127.0.0.1", w->port);

	for (int i = 0; i < 3; i++) {
		AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

		assert_true(send_text(w, fd, KEPT_REQUEST("GET /metrics")));
		assert_true(receive(w, fd, &answer, "drive_up 1\n"));
		assert_status(&answer, 200);
	}
	assert_int_equal(w->n_scrapes, 3);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	const char *first, *second, *third;

	talk(*state, KEPT_REQUEST("GET /-/healthy") KEPT_REQUEST("GET /none") REQUEST("GET /metrics"), &answer);
	first = strstr(answer.at, "healthy.\n");
	second = strstr(answer.at, "HTTP/1.1 404 ");
	third = strstr(answer.at, "drive_up 1\n");
	assert_true(first && first < second && second < third);
}

static void the_body_of_a_get_is_read_past(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	talk(w, "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n"
		"GET /none HTTP/1.1" REQUEST("GET /-/healthy"), &answer);
	assert_status(&answer, 200);
	assert_non_null(strstr(answer.at, "drive_exporter is healthy.\n"));
	assert_null(strstr(answer.at, " 404 "));
	assert_int_equal(w->n_scrapes, 1);
}

static void garbage_costs_only_its_own_connection(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX), garbage = TEXT_LIMIT(ANSWER_MAX);
	uint32_t x = 1;

	talk(w, "GARBAGE\r\n\r\n", &answer);
	assert_true(!answer.length || strstr(answer.at, " 400 ") || strstr(answer.at, " 405 "));
	talk(w, "GET /metrics HTTP/9.9\r\n\r\n", &answer);
	assert_null(strstr(answer.at, "drive_up"));
	for (int i = 0; i < 100000; i++) {
		x = x * 1664525 + 1013904223;
		text_add_bytes(&garbage, (char[]){ (char)(x >> 24) }, 1);
	}
	text_free(&answer);
	talk_bytes(w, garbage.at, garbage.length, &answer);
	for (int i = 0; i < 20; i++) {		/* half a request, and gone */
		AUTO_FD fd = connect_to("127.0.0.1", w->port);

		send_all(w, fd, "GET /metr", 9);
	}
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
}

static void headers_without_end_are_refused(void **state)
{
	struct world *w = *state;
	AUTO_TEXT request = TEXT_LIMIT(ANSWER_MAX), answer = TEXT_LIMIT(ANSWER_MAX);

	text_add(&request, "GET /metrics HTTP/1.1\r\nHost: x\r\nX-Long: ");
	while (request.length < 1 << 20)
		text_add(&request, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	talk_bytes(w, request.at, request.length, &answer);
	assert_int_equal(w->n_scrapes, 0);
	assert_true(!answer.length || strstr(answer.at, " 431 "));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
}

static void a_slow_reader_keeps_nobody_waiting(void **state)
{
	struct world *w = *state;
	AUTO_TEXT slow = TEXT_LIMIT(ANSWER_MAX), answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD fd = connect_to("127.0.0.1", w->port);

	w->n_bodies = 2000000;		/* 22 MB: more than the sockets' buffers hold */
	assert_true(send_text(w, fd, REQUEST("GET /metrics")));
	while (!w->n_scrapes)
		sd_event_run(w->event, 1000);
	w->n_bodies = 1;
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_string_equal(body_of(&answer), "drive_up 1\n");
	assert_true(receive(w, fd, &slow, NULL));
	assert_int_equal(strlen(body_of(&slow)), 2000000 * strlen(w->body));
}

static void an_empty_page_and_one_that_has_no_room_differ(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	w->n_bodies = 0;
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
	assert_header(&answer, "Content-Length: 0");
	w->is_truncated = true;
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 500);
}

/* libmicrohttpd stops listening when it is full; it must take up again though nothing else happens. */
static void a_crowd_that_leaves_lets_others_in(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	int crowd[100];

	for (size_t i = 0; i < ARRAY_SIZE(crowd); i++) {
		crowd[i] = connect_to("127.0.0.1", w->port);
		assert_true(crowd[i] >= 0);
	}
	for (int i = 0; i < 50; i++)
		sd_event_run(w->event, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(crowd); i++)
		close(crowd[i]);
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		served(metrics_come_as_prometheus_wants_them),
		served(head_is_get_without_the_body),
		served(other_methods_are_told_which_there_are),
		served(other_paths_are_not_found),
		served(the_index_is_a_page_that_may_do_nothing),
		served(health_and_readiness_are_told),
		served(a_connection_serves_again_and_again),
		served(pipelined_requests_are_answered_in_order),
		served(the_body_of_a_get_is_read_past),
		served(garbage_costs_only_its_own_connection),
		served(headers_without_end_are_refused),
		served(a_slow_reader_keeps_nobody_waiting),
		served(an_empty_page_and_one_that_has_no_room_differ),
		served(a_crowd_that_leaves_lets_others_in),
	};

	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
