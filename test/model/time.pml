/* Part of lease.pml: the clocks, and what is said. */

inline clearUp(who) {
  up[who].kind = 0; up[who].token = 0; up[who].request = 0; up[who].age = 0;
#ifdef STALL
  up[who].inTime = false; up[who].taken = false;
#endif
}
inline clearDown(who) { down[who].kind = 0; down[who].token = 0; down[who].request = 0; down[who].left = 0 }

inline clientTicks(who) {
  if
  :: client[who].left > 0 ->
     client[who].left--;
#ifndef TIMER_BELIEF
     if
     :: client[who].left == 0 && BELIEVES(who) ->
        client[who].is = lost; printf("@%c believes no longer\n", NAME(who))
     :: else
     fi
#endif
  :: else
  fi;
  if :: DATES(up[who].kind) && up[who].age < AGE_MAX -> up[who].age++ :: else fi;
#ifndef NO_ANCHOR
  if
  :: down[who].left > 0 ->
     down[who].left--;
     /* What a client would pass over is dropped at once, here and in `forget`: fewer states, the same beliefs. */
     if :: down[who].left == 0 && down[who].kind == renewed -> clearDown(who) :: else fi
  :: else
  fi;
#ifdef LATE_SOCKET
  if :: late[who].left > 0 -> late[who].left-- :: else fi;
#endif
#endif
  if :: claim[who].request != 0 && claim[who].lag < AGE_MAX + 2 -> claim[who].lag++ :: else fi
}

/* The listening clock goes on by `ticks`. */
inline listen(ticks) {
  left = (left > ticks -> left - ticks : 0);
#ifdef RESTART
  until = (until > ticks -> until - ticks : 0);
#endif
  for (l : 0 .. 1) {
    if
    :: claim[l].request != 0 ->
       if
       :: claim[l].lag < AGE_MAX + 2 -> claim[l].lag = (claim[l].lag > ticks -> claim[l].lag - ticks : 0)
       :: else
       fi;
#ifdef PASSING
       claim[l].since = (claim[l].since + ticks > PINGS -> PINGS + 1 : claim[l].since + ticks);
       if :: claim[l].since > PINGS -> claim[l].lag = AGE_MAX + 2 :: else fi
#endif
    :: else
    fi
  }
}

#ifdef STALL
/* One reading of the listening clock (R6). */
inline readClock() {
  n = unread;
  unread = 0;
  listen(n);
  if :: readings * STEP < TTL -> readings++ :: else fi
}
#else
#define readClock() skip /* it is exact, and stands in tick */
#endif

/* A tick of real time. `slow`: A's clock misses it. `fast`: B's clock counts it twice. */
inline tick(slow, fast) {
  printf("@tick\n");
  if
  :: slow || fast -> drift = 1; printf("@the clock of %c goes wrong by a tick\n", (slow -> 65 : 66))
  :: else -> drift = (drift < DRIFT -> drift + 1 : DRIFT)
  fi;
#ifdef STALL
#ifdef CATCH_UP
  unread = (unread < TTL -> unread + 1 : TTL);
#else
  unread = (unread < STEP -> unread + 1 : STEP);
#endif
#else
  listen(1);
#endif
  if :: !slow -> clientTicks(0) :: else fi;
  clientTicks(1);
  if :: fast -> clientTicks(1) :: else fi
}

proctype Time() {
  do
  :: d_step { true -> tick(false, false); END }
#ifdef RATES
  :: d_step { drift == DRIFT -> tick(true, false); END }
  :: d_step { drift == DRIFT -> tick(false, true); END }
#endif
  od
}

/* ======== what is said ======== */
/* A client sends. */
inline say(who, what, itsToken, itsRequest) {
  up[who].kind = what; up[who].token = itsToken; up[who].request = itsRequest; up[who].age = 0;
#ifdef STALL
  up[who].inTime = what == renew && holder == who + 1 && token == itsToken && left > unread;
#endif
  printf("@%c sends %e (token %d)\n", NAME(who), what, itsToken)
}

/* The coordinator speaks of a window of `ms` to a client, on the anchor that lags so (P-4). No room: it is lost. */
inline tell(who, what, itsToken, itsRequest, ms, behind) {
  if
#ifdef SOCKETS
  :: !bound[who] -> skip
#endif
  :: down[who].kind == 0 ->
     down[who].kind = what; down[who].token = itsToken; down[who].request = itsRequest;
#ifdef NO_ANCHOR
     down[who].left = (ms > MARGIN -> ms - MARGIN : 0);
#else
     down[who].left = (ms + 2 > behind + MARGIN -> ms + 2 - behind - MARGIN : 0);
#endif
     printf("@the coordinator sends %e to %c (token %d)\n", what, NAME(who), itsToken)
  :: else
  fi
}
