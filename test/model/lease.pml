/*
 * The protocol `leasehold.v1`, small enough to be exhausted: two clients, one name, one coordinator. docs/MODEL.md says
 * how to run it, what it found, and what small constants prove.
 *
 * TIME is discrete; every clock counts ticks. Nothing is urgent: any number of ticks may pass between two steps. That
 * is a message that is late, a client that is paused, a coordinator that stands still.
 *
 * WHAT IS MODELLED                                                                    rule       where
 * a window counts from the sending of the frame that a message names                  R5 P-4     tell, clientTicks
 * a grant out of the queue counts from the last frame read (a waiter repeats its
 *   claim; any other frame would do as well)                                          R5         handOver, readMessage
 * a window that is over on arrival is renewed before it is believed                   P-5        lengthen
 * belief ends by the clock, a stop margin early, and before a release is sent         R11 R13    clientTicks, Client
 * a clock loses or gains one tick in DRIFT; a silent waiter is passed over            S1 R19     tick, listen
 * renewal and release name a token; a repeat that meets its grant is a renewal        S3 R7      readMessage
 * a new dial at any time; the old socket is not heard; `welcome` says what is left    R8 R9      Client, readMessage
 * a revoked name stays closed until `endAck` or the deadline                          R1         Coordinator, hear
 * grants are told when durable; a restart gives the stored window less the stored
 *   silence; the first renewal of a run buys nothing until that is stored             R3 R5 R15  store, restart,
 *                                                                                                buyWindow
 * a reading of the listening clock adds STEP at most; a turn is a reading, the
 *   sockets, a reading: what is over is judged by the first, windows count from the
 *   second                                                                            R6 S9      Coordinator
 *
 * WHAT STANDS FOR WHAT. A frame has no number: the age of its stamp travels with it, on its client's clock (`Up.age`),
 * and what is left of a window counts down in the message that tells of it (`Down.left`). The client would work out the
 * same from its table of stamps. Of the last frame of a waiter the coordinator keeps how far its age is ahead of the
 * listening time since it was read (`Claim.lag`). A socket has room for one message each way; an answer for which there
 * is no room is lost.
 *
 * WHAT IS LEFT OUT, and why. Frame numbers, instances, secrets, late `hello`s: the simulation has them; here they would
 * be names for what the ages say. What an abandoned socket still brings up: it is read before the new `hello`, as if
 * before the dial, or never. Sleep and wall clocks: belief here is over by the monotonic clock (R12). The order of the
 * queue, priorities, limits, ceilings, state, several names: nothing in S1 hangs on them, so any waiter may be next.
 * When a client renews: it may at any time, so each schedule is covered. Failed appends; restarts faster than silence
 * is stored. Liveness: the model checks that nothing bad happens, never that something good does.
 *
 * SWITCHES. RATES, SOCKETS, REVOKE, RESTART, STALL add a part each. B_PLAIN takes renewals and dials from B: A has them
 * all, and either can overstay. The mutants (NO_ANCHOR, ...) take out one rule each: configurations.ts has them.
 * ONLY_S1 follows one to the overlap itself.
 */

/* ---- sizes: a tick is the unit of every clock ---- */
#ifndef TTL
#define TTL 3      /* the window that a grant or a renewal buys */
#endif
#ifndef MARGIN
#ifdef RATES
#define MARGIN 1   /* the stop margin (R11): all that DRIFT can do to one window, and not more */
#else
#define MARGIN 0   /* the clocks are exact */
#endif
#endif
#define PINGS 1    /* a waiter silent for longer is passed over (R19) */
#define DRIFT (TTL + PINGS + 1) /* at most one tick of the clients' clocks goes wrong in so many */
#define STEP 2     /* what one reading of the listening clock adds at most (R6) */
#ifndef CLAIMS_A
#define CLAIMS_A 1 /* claims of each client */
#endif
#ifndef CLAIMS_B
#define CLAIMS_B 1
#endif
#define CLAIMS(i) (i == 0 -> CLAIMS_A : CLAIMS_B)
#ifndef TOKENS
#define TOKENS 2   /* grants altogether */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
/* An older anchor is as good as this: its window is over on arrival. */
#ifdef STALL
#define AGE_MAX (TTL + STEP)
#else
#define AGE_MAX TTL
#endif

#ifdef SOCKETS
#define CAN_SEND(i) (up[i].kind == 0 && !dialling[i])
#else
#define CAN_SEND(i) (up[i].kind == 0)
#endif
#ifdef B_PLAIN /* B claims and releases, and neither renews nor dials again */
#define RENEWS(i) (i == 0)
#else
#define RENEWS(i) true
#endif
#if defined(RATES) && !defined(NO_PASSING)
#define PASSING /* where clocks are exact an old anchor does no harm */
#endif
#define NAME(i) (65 + (i))
#define DATES(what) ((what) == hello || (what) == acquire || (what) == renew) /* can be an anchor */
#define BELIEVES(i) (client[i].is == held)

mtype = { hello, acquire, renew, release, endAck, welcome, granted, renewed, gone, ended };
mtype = { idle, waiting, told, held, lost, acking, ackWaiting };

/* ---- the network: room for one message in each direction of a socket ---- */
typedef Up {
  mtype kind; byte token; byte request;
  byte age /* since its sending, on its client's clock: the stamp of the frame, turned inside out */
#ifdef STALL
  ; bool inTime; /* it came to the coordinator's socket before the deadline of the lease that it renews */
  bool taken     /* and was read in this turn */
#endif
};
typedef Down {
  mtype kind; byte token; byte request;
  byte left /* leftMs less what is gone since the anchor, less the stop margin, on its client's clock */
};
Up up[2];
Down down[2];
#ifdef LATE_SOCKET
Down late[2]; /* what an abandoned socket still brings */
#endif

/* ---- the clients ---- */
typedef Standing { mtype is; byte token; byte left; byte claims };
Standing client[2];
#ifdef SOCKETS
bool dialling[2]; /* no welcome yet: nothing else may be sent (P-2) */
bool bound[2];    /* the hello of its newest socket was read */
#endif

/* ---- the coordinator ---- */
byte holder;        /* the client and 1, or 0 */
byte token;
byte request;       /* of the claim that the lease came of (R7) */
byte left;          /* until its deadline, at the last reading of the listening clock */
bool ending;        /* revoked and not acknowledged (R1) */
byte mark;          /* the last token */
typedef Claim {
  byte request;     /* 0: no claim */
  byte lag;         /* of the last frame read: its age less the listening time since it was read, and 2 */
  byte since        /* that listening time; PINGS + 1: silent */
};
Claim claim[2];
#ifdef REVOKE
bool revokedOnce;
#endif
#ifdef STALL
byte unread;        /* ticks since the last reading, those beyond STEP cut off for good (R6) */
byte phase;         /* of a turn: 0 the clock, 1 the sockets, 2 the clock and the decisions */
bool over;          /* by the first reading of this turn the deadline is over */
byte readings;      /* since the window began, for the claim of S9 */
#endif
#ifdef RESTART
bool pending;       /* the grant is decided and not durable (R5) */
bool heard;         /* in this run (R3) */
bool hearing;       /* that is on its way to the journal, */
byte until;         /* and this is the window that it buys */
byte crashes;
byte storedHolder; byte storedToken; byte storedRequest; byte storedSilent; byte storedMark;
#else
#define pending false
#endif

byte drift = DRIFT; /* ticks since a clock went wrong */
byte newest;        /* the newest token that anybody believed in, for the claim of S2 */
byte l; byte y; byte z; byte n; /* of no meaning between two steps: END makes them equal */
#define END l = 0; y = 0; z = 0; n = 0

/* ======== the claims ======== */
inline check() {
  assert(!(BELIEVES(0) && BELIEVES(1))); /* S1 */
#ifndef ONLY_S1
  /* No answer lets a client believe beyond the coordinator's deadline, or in what is not durable (S4). */
  assert(!BELIEVES(0) || (holder == 1 && token == client[0].token && !pending));
  assert(!BELIEVES(1) || (holder == 2 && token == client[1].token && !pending))
#endif
}

#include "time.pml"
#include "client.pml"
#include "coordinator.pml"

init {
#ifdef SOCKETS
  bound[0] = true; bound[1] = true;
#endif
  client[0].is = idle; client[1].is = idle;
  atomic { run Time(); run Client(0); run Client(1); run Network(); run Coordinator() }
}
