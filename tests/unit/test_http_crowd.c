/* http/crowd: who is at what, for how long, and who has to go. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "http/crowd.h"

enum { GUESTS = 8, MANY = 64, STEPS = 20000 };

/* A connection of the crowd, and the other end, which is the client's. */
struct guest {
	struct http_connection *connection;
	int ours, theirs;
};

static struct guest come(struct http_crowd *crowd, uint64_t now_us)
{
	struct guest g = { 0 };
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	g.ours = pair[0];
	g.theirs = pair[1];
	g.connection = http_crowd_add(crowd, NULL, g.ours, now_us);
	assert_non_null(g.connection);
	return g;
}

/* As libmicrohttpd does when it closes one. */
static void go(struct http_crowd *crowd, struct guest *g)
{
	http_crowd_remove(crowd, g->connection);
	free(g->connection);
	close(g->ours);
	close(g->theirs);
	*g = (struct guest){ 0 };
}

/* The client's end says so: it reads the end, or finds nothing to read yet. */
static bool is_shut(const struct guest *g)
{
	char c;
	ssize_t n = recv(g->theirs, &c, 1, MSG_DONTWAIT);

	if (n < 0)
		assert_int_equal(errno, EAGAIN);
	else
		assert_int_equal(n, 0);
	return n == 0;
}

static void assert_sizes(const struct http_crowd *crowd, size_t size, size_t busy)
{
	assert_int_equal(http_crowd_size(crowd), size);
	assert_int_equal(http_crowd_busy(crowd), busy);
}

static void who_comes_has_a_head_to_send(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest g;

	assert_sizes(&crowd, 0, 0);
	assert_true(http_crowd_next_us(&crowd) == UINT64_MAX);
	assert_int_equal(http_crowd_expire(&crowd, UINT64_MAX), 0);
	http_crowd_remove(&crowd, NULL);

	g = come(&crowd, 1000);
	assert_int_equal(g.connection->stage, HTTP_HEAD);
	assert_int_equal(g.connection->fd, g.ours);
	assert_sizes(&crowd, 1, 1);
	assert_true(http_crowd_next_us(&crowd) == 1000 + http_stage_us[HTTP_HEAD]);
	assert_false(is_shut(&g));
	go(&crowd, &g);
	assert_sizes(&crowd, 0, 0);
	assert_true(http_crowd_next_us(&crowd) == UINT64_MAX);
}

static void a_stage_ends_at_its_time_and_not_before(void **state)
{
	for (enum http_stage stage = 0; stage < N_HTTP_STAGES; stage++) {
		struct http_crowd crowd = { 0 };
		struct guest g = come(&crowd, 5);
		uint64_t began = stage == HTTP_HEAD ? 5 : 7000, end = began + http_stage_us[stage];

		http_crowd_move(&crowd, g.connection, stage, 7000);
		assert_int_equal(g.connection->stage, stage);
		assert_sizes(&crowd, 1, stage != HTTP_IDLE);
		assert_true(http_crowd_next_us(&crowd) == end);
		assert_int_equal(http_crowd_expire(&crowd, end - 1), 0);
		assert_false(is_shut(&g));
		assert_int_equal(http_crowd_expire(&crowd, end), 1);
		assert_true(is_shut(&g));
		assert_int_equal(g.connection->stage, HTTP_LEAVING);
		assert_sizes(&crowd, 1, 0);		/* libmicrohttpd still has it */
		assert_int_equal(http_crowd_expire(&crowd, UINT64_MAX), 0);
		assert_true(http_crowd_next_us(&crowd) == UINT64_MAX);
		go(&crowd, &g);
		assert_sizes(&crowd, 0, 0);
	}
}

/* What libmicrohttpd's own time-out would grant. */
static void a_stage_does_not_begin_anew(void **state)
{
	for (enum http_stage stage = 0; stage < N_HTTP_STAGES; stage++) {
		struct http_crowd crowd = { 0 };
		struct guest g = come(&crowd, 0);

		http_crowd_move(&crowd, g.connection, stage, 0);
		for (uint64_t now = 1; now < http_stage_us[stage]; now += http_stage_us[stage] / 10)
			http_crowd_move(&crowd, g.connection, stage, now);
		assert_true(http_crowd_next_us(&crowd) == http_stage_us[stage]);
		assert_int_equal(http_crowd_expire(&crowd, http_stage_us[stage]), 1);
		go(&crowd, &g);
	}
}

/* Prometheus asks once a minute unless told otherwise, and ten seconds are plenty for the head of a request. */
static void the_times_fit_who_is_honest(void **state)
{
	assert_in_range(http_stage_us[HTTP_HEAD], 5000000, 30000000);
	assert_in_range(http_stage_us[HTTP_ANSWER], 30000000, 120000000);
	assert_in_range(http_stage_us[HTTP_IDLE], 120000001, 600000000);
}

static void only_those_whose_time_is_over_go(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest guests[GUESTS];

	for (int i = 0; i < GUESTS; i++)
		guests[i] = come(&crowd, (uint64_t)i * 100);
	assert_int_equal(http_crowd_expire(&crowd, http_stage_us[HTTP_HEAD] + 299), 3);
	for (int i = 0; i < GUESTS; i++)
		assert_int_equal(is_shut(&guests[i]), i < 3);
	assert_true(http_crowd_next_us(&crowd) == http_stage_us[HTTP_HEAD] + 300);
	assert_sizes(&crowd, GUESTS, GUESTS - 3);
	for (int i = 0; i < GUESTS; i++)
		go(&crowd, &guests[i]);
	assert_sizes(&crowd, 0, 0);
}

/* The stages' times differ, so the next is not always of who came first. */
static void the_next_is_the_soonest_of_all_stages(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest idle = come(&crowd, 0), answered = come(&crowd, 0), fresh;

	http_crowd_move(&crowd, idle.connection, HTTP_IDLE, 1);
	http_crowd_move(&crowd, answered.connection, HTTP_ANSWER, 2);
	assert_true(http_crowd_next_us(&crowd) == 2 + http_stage_us[HTTP_ANSWER]);
	fresh = come(&crowd, 3);
	assert_true(http_crowd_next_us(&crowd) == 3 + http_stage_us[HTTP_HEAD]);
	go(&crowd, &fresh);
	go(&crowd, &answered);
	assert_true(http_crowd_next_us(&crowd) == 1 + http_stage_us[HTTP_IDLE]);
	go(&crowd, &idle);
}

/* Asks again: it is at the end of the queue, with all its time before it. */
static void who_moves_is_the_last_there(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest a = come(&crowd, 0), b = come(&crowd, 1);

	http_crowd_move(&crowd, b.connection, HTTP_IDLE, 10);
	http_crowd_move(&crowd, a.connection, HTTP_IDLE, 20);
	assert_ptr_equal(crowd.stages[HTTP_IDLE].first, b.connection);
	assert_ptr_equal(crowd.stages[HTTP_IDLE].last, a.connection);
	http_crowd_move(&crowd, b.connection, HTTP_ANSWER, 30);
	http_crowd_move(&crowd, b.connection, HTTP_IDLE, 40);
	assert_ptr_equal(crowd.stages[HTTP_IDLE].first, a.connection);
	assert_true(http_crowd_next_us(&crowd) == 20 + http_stage_us[HTTP_IDLE]);
	assert_int_equal(http_crowd_expire(&crowd, 39 + http_stage_us[HTTP_IDLE]), 1);
	assert_true(is_shut(&a));
	assert_false(is_shut(&b));
	go(&crowd, &a);
	go(&crowd, &b);
}

/* Of those who are silent and those who were served the more numerous, who is silent where they are as many; never one whose answer is
 * under way. */
static void way_is_given_by_who_waits_for_nothing(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest guests[6];
	static const int order[] = { 2, 1, 4, 0 };	/* who goes, in turn; 3 and 5 are being answered */

	assert_false(http_crowd_give_way(&crowd));
	for (int i = 0; i < 6; i++)
		guests[i] = come(&crowd, (uint64_t)i);
	http_crowd_move(&crowd, guests[1].connection, HTTP_IDLE, 10);
	http_crowd_move(&crowd, guests[0].connection, HTTP_IDLE, 11);
	http_crowd_move(&crowd, guests[5].connection, HTTP_ANSWER, 12);
	http_crowd_move(&crowd, guests[3].connection, HTTP_ANSWER, 13);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_false(is_shut(&guests[order[i]]));
		assert_true(http_crowd_give_way(&crowd));
		assert_true(is_shut(&guests[order[i]]));
		assert_int_equal(http_crowd_size(&crowd), 6);
	}
	assert_false(http_crowd_give_way(&crowd));
	assert_false(is_shut(&guests[3]) || is_shut(&guests[5]));
	assert_sizes(&crowd, 6, 2);
	for (int i = 0; i < 6; i++)
		go(&crowd, &guests[i]);
	assert_sizes(&crowd, 0, 0);
}

/* libmicrohttpd may still find a whole request in what it had read, and answer it. */
static void who_leaves_stays_so(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest g = come(&crowd, 0), other = come(&crowd, 1);

	assert_true(http_crowd_give_way(&crowd));
	for (enum http_stage stage = 0; stage < N_HTTP_STAGES; stage++) {
		http_crowd_move(&crowd, g.connection, stage, 2);
		assert_int_equal(g.connection->stage, HTTP_LEAVING);
		assert_sizes(&crowd, 2, 1);
	}
	go(&crowd, &g);
	assert_sizes(&crowd, 1, 1);
	assert_ptr_equal(crowd.stages[HTTP_HEAD].first, other.connection);
	assert_ptr_equal(crowd.stages[HTTP_HEAD].last, other.connection);
	go(&crowd, &other);
}

static void the_first_the_last_and_one_between_may_go(void **state)
{
	struct http_crowd crowd = { 0 };
	struct guest guests[5];
	const struct http_connection *c;

	for (int i = 0; i < 5; i++)
		guests[i] = come(&crowd, (uint64_t)i);
	go(&crowd, &guests[2]);
	go(&crowd, &guests[0]);
	go(&crowd, &guests[4]);
	c = crowd.stages[HTTP_HEAD].first;
	assert_ptr_equal(c, guests[1].connection);
	assert_null(c->previous);
	assert_ptr_equal(c->next, guests[3].connection);
	assert_ptr_equal(c->next->previous, c);
	assert_null(c->next->next);
	assert_ptr_equal(crowd.stages[HTTP_HEAD].last, c->next);
	go(&crowd, &guests[1]);
	go(&crowd, &guests[3]);
	assert_null(crowd.stages[HTTP_HEAD].first);
	assert_null(crowd.stages[HTTP_HEAD].last);
}

/* ---- against the plainest model: a table of who is where since when */

struct model {
	struct guest guest;		/* of 0: nobody */
	enum http_stage stage;
	uint64_t since_us, turn;	/* turn: of its joining the stage */
};

static struct model *oldest(struct model *all, enum http_stage stage)
{
	struct model *found = NULL;

	for (int i = 0; i < MANY; i++)
		if (all[i].guest.connection && all[i].stage == stage && (!found || all[i].turn < found->turn))
			found = &all[i];
	return found;
}

static void assert_like_model(const struct http_crowd *crowd, struct model *all)
{
	size_t n[N_HTTP_STAGES + 1] = { 0 };
	uint64_t next = UINT64_MAX;

	for (int i = 0; i < MANY; i++) {
		const struct model *m = &all[i];

		if (!m->guest.connection)
			continue;
		n[m->stage]++;
		assert_int_equal(m->guest.connection->stage, m->stage);
		assert_int_equal(is_shut(&m->guest), m->stage == HTTP_LEAVING);
		if (m->stage < N_HTTP_STAGES && m->since_us + http_stage_us[m->stage] < next)
			next = m->since_us + http_stage_us[m->stage];
	}
	for (enum http_stage stage = 0; stage < N_HTTP_STAGES; stage++) {
		const struct model *first = oldest(all, stage);

		assert_int_equal(crowd->stages[stage].n, n[stage]);
		assert_ptr_equal(crowd->stages[stage].first, first ? first->guest.connection : NULL);
	}
	assert_true(http_crowd_next_us(crowd) == next);
	assert_sizes(crowd, n[HTTP_HEAD] + n[HTTP_ANSWER] + n[HTTP_IDLE] + n[HTTP_LEAVING], n[HTTP_HEAD] + n[HTTP_ANSWER]);
}

static void model_give_way(struct http_crowd *crowd, struct model *all)
{
	struct model *m;
	size_t n[N_HTTP_STAGES + 1] = { 0 };

	for (int i = 0; i < MANY; i++)
		if (all[i].guest.connection)
			n[all[i].stage]++;
	m = oldest(all, n[HTTP_HEAD] >= n[HTTP_IDLE] ? HTTP_HEAD : HTTP_IDLE);
	assert_int_equal(http_crowd_give_way(crowd), m != NULL);
	if (m)
		m->stage = HTTP_LEAVING;
}

static void model_expire(struct http_crowd *crowd, struct model *all, uint64_t now_us)
{
	size_t n = 0;

	for (int i = 0; i < MANY; i++) {
		struct model *m = &all[i];

		if (!m->guest.connection || m->stage == HTTP_LEAVING || now_us - m->since_us < http_stage_us[m->stage])
			continue;
		m->stage = HTTP_LEAVING;
		n++;
	}
	assert_int_equal(http_crowd_expire(crowd, now_us), n);
}

static void model_come_or_move(struct http_crowd *crowd, struct model *m, enum http_stage stage, uint64_t now_us, uint64_t turn)
{
	if (!m->guest.connection) {
		*m = (struct model){ come(crowd, now_us), HTTP_HEAD, now_us, turn };
		return;
	}
	http_crowd_move(crowd, m->guest.connection, stage, now_us);
	if (m->stage != HTTP_LEAVING && m->stage != stage)
		*m = (struct model){ m->guest, stage, now_us, turn };
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)*seed * below) >> 32);
}

static void any_order_of_events_is_kept_track_of(void **state)
{
	struct http_crowd crowd = { 0 };
	struct model all[MANY] = { 0 };
	uint64_t now_us = 0;
	uint32_t seed = 1;

	for (uint64_t turn = 0; turn < STEPS; turn++) {
		struct model *m = &all[draw(&seed, MANY)];
		uint32_t what = draw(&seed, 20);

		now_us += draw(&seed, 1000000);
		if (what == 0)
			model_give_way(&crowd, all);
		else if (what == 1)
			model_expire(&crowd, all, now_us);
		else if (what < 6 && m->guest.connection)
			go(&crowd, &m->guest);
		else
			model_come_or_move(&crowd, m, draw(&seed, N_HTTP_STAGES), now_us, turn);
		if (turn % 16 == 0)
			assert_like_model(&crowd, all);
	}
	for (int i = 0; i < MANY; i++)
		if (all[i].guest.connection)
			go(&crowd, &all[i].guest);
	assert_sizes(&crowd, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_comes_has_a_head_to_send),
		cmocka_unit_test(a_stage_ends_at_its_time_and_not_before),
		cmocka_unit_test(a_stage_does_not_begin_anew),
		cmocka_unit_test(the_times_fit_who_is_honest),
		cmocka_unit_test(only_those_whose_time_is_over_go),
		cmocka_unit_test(the_next_is_the_soonest_of_all_stages),
		cmocka_unit_test(who_moves_is_the_last_there),
		cmocka_unit_test(way_is_given_by_who_waits_for_nothing),
		cmocka_unit_test(who_leaves_stays_so),
		cmocka_unit_test(the_first_the_last_and_one_between_may_go),
		cmocka_unit_test(any_order_of_events_is_kept_track_of),
	};

	return cmocka_run_group_tests_name("http_crowd", tests, NULL, NULL);
}
