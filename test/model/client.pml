/* Part of lease.pml: the clients, and the network between. */

inline forget(who) {
  client[who].is = idle; client[who].token = 0; client[who].left = 0;
#ifndef REVIVE
  if :: down[who].kind != ended && down[who].kind != welcome -> clearDown(who) :: else fi
#endif
}

inline believe(who) {
  if
  :: BELIEVES(who)
  :: else ->
     client[who].is = held;
#ifndef ONLY_S1
     assert(client[who].token > newest); /* S2 */
#endif
     newest = client[who].token
  fi;
  printf("@%c believes that it holds token %d, for %d ticks from now\n", NAME(who), client[who].token, client[who].left)
}

/* The client hears that `z` is left of the window of token `y`. */
inline lengthen(who) {
  if :: z > client[who].left -> client[who].left = z :: else fi;
  if :: client[who].left > 0 -> believe(who) :: else fi /* over on arrival: it is renewed first (P-5) */
}

inline hear(who) {
  n = down[who].kind; y = down[who].token; z = down[who].left;
  printf("@%c hears %e (token %d)\n", NAME(who), n, y);
#ifdef LATER_SEND
  if
  :: DATES(up[who].kind) && (n == granted || n == renewed) ->
     z = (TTL > up[who].age + MARGIN -> TTL - up[who].age - MARGIN : 0)
  :: else
  fi;
#endif
  if
  :: n == granted && client[who].is == waiting && client[who].claims == down[who].request ->
     client[who].token = y; client[who].is = told; lengthen(who)
  :: n == granted && client[who].is == idle -> client[who].is = lost; client[who].token = y /* to be released */
  :: (n == granted || n == renewed || n == welcome) && client[who].token == y &&
     (client[who].is == told || client[who].is == held) -> lengthen(who)
#ifdef REVIVE
  :: n == renewed && (client[who].is == idle || client[who].is == lost) && z > 0 ->
     client[who].token = y; lengthen(who)
#endif
  :: n == welcome && client[who].token != y && (client[who].is == told || client[who].is == held) ->
     forget(who) /* P-9 */
  :: n == welcome && client[who].is == idle && y != 0 -> client[who].is = lost; client[who].token = y /* P-9 */
  :: n == gone && client[who].token == y && (client[who].is == told || client[who].is == held) -> forget(who)
  :: n == ended && client[who].token == y && (client[who].is == told || client[who].is == held) ->
     client[who].is = acking; client[who].left = 0 /* P-10, P-11 */
  :: n == ended && client[who].is == idle -> client[who].is = acking; client[who].token = y
  :: n == ended && client[who].is == waiting ->
     client[who].is = ackWaiting; client[who].token = y /* and claims anew (R2) */
  :: else
  fi;
#ifdef SOCKETS
  if :: n == welcome -> dialling[who] = 0 :: else fi;
#endif
  clearDown(who);
  check()
}

/* A paused client is one that takes none of these steps while time goes on; any client may, at any instant. */
proctype Client(byte i) {
  do
  :: d_step { client[i].is == idle && client[i].claims < CLAIMS(i) ->
       client[i].claims++; client[i].is = waiting; printf("@%c claims\n", NAME(i)); END }
  :: d_step { client[i].is == waiting && CAN_SEND(i) -> /* or repeats (P-8) */
       say(i, acquire, 0, client[i].claims); END }
  :: d_step { RENEWS(i) && (client[i].is == told || BELIEVES(i)) && CAN_SEND(i) ->
       say(i, renew, client[i].token, 0); END }
#ifndef STALL /* there leases end by their deadlines only */
  :: d_step { (client[i].is == told || BELIEVES(i) || client[i].is == lost) && CAN_SEND(i) ->
       say(i, release, client[i].token, 0);
#ifdef RELEASE_FIRST
       if :: BELIEVES(i) -> skip :: else -> forget(i) fi
#else
       forget(i) /* in the same step (P-10, R13) */
#endif
       ; END
     }
#endif
  :: d_step { client[i].is == lost -> forget(i); END } /* its release never arrives */
#ifdef REVOKE
  :: d_step { client[i].is == acking && CAN_SEND(i) -> say(i, endAck, client[i].token, 0); forget(i); END }
  :: d_step { client[i].is == ackWaiting && CAN_SEND(i) ->
       say(i, endAck, client[i].token, 0); client[i].is = waiting; client[i].token = 0; END }
#endif
#ifdef TIMER_BELIEF
  :: d_step { BELIEVES(i) && client[i].left == 0 -> client[i].is = lost; END }
#endif
  :: d_step { down[i].kind != 0 -> hear(i); END }
#ifdef SOCKETS
  :: d_step { RENEWS(i) -> /* It dials anew. Nothing from the abandoned socket is heard (R9). */
#ifdef LATE_SOCKET
       late[i].kind = down[i].kind; late[i].token = down[i].token;
       late[i].request = down[i].request; late[i].left = down[i].left;
#endif
       clearUp(i); clearDown(i);
       bound[i] = false; dialling[i] = true;
       say(i, hello, 0, 0); END }
#endif
  od
}

/* ======== the network ======== */
proctype Network() {
  do
#ifdef LATE_SOCKET
  :: d_step { down[0].kind == 0 && late[0].kind != 0 ->
       down[0].kind = late[0].kind; down[0].token = late[0].token;
       down[0].request = late[0].request; down[0].left = late[0].left;
       late[0].kind = 0; late[0].token = 0; late[0].request = 0; late[0].left = 0;
       printf("@an abandoned socket brings %e to A\n", down[0].kind); END }
#endif
#ifndef SOCKETS /* there A loses messages by dialling anew */
  :: d_step { down[0].kind != 0 -> clearDown(0); END }
#endif
#ifndef STALL /* there what is sent lies in the coordinator's socket at once, and one that stalls is the delay */
  :: d_step { down[1].kind != 0 -> clearDown(1); END }
#ifndef SOCKETS
  :: d_step { up[0].kind != 0 -> clearUp(0); END }
#endif
  :: d_step { up[1].kind != 0 -> clearUp(1); END }
#endif
  od
}
