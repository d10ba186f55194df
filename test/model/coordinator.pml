/* Part of lease.pml: the coordinator. */

inline vacate() {
  printf("@the name is free\n");
  holder = 0; token = 0; request = 0; left = 0; ending = false;
#ifdef RESTART
  heard = false; hearing = false; until = 0;
#endif
  check()
}

inline expire() {
  printf("@the lease of %c expires\n", NAME(holder - 1));
#ifdef STALL
  assert(!up[holder - 1].inTime); /* S9: sockets are read before anything expires */
#endif
  vacate()
}

/* A renewal was read: a fresh window (R4); in a run that has not heard from the holder, not before that is stored. */
inline buyWindow() {
#ifdef RESTART
  if
  :: heard || storedSilent == 0 -> heard = true; left = TTL
  :: else -> hearing = true; until = TTL;
#ifdef HEARD_NOT_AWAITED
     left = TTL
#endif
  fi
#else
  left = TTL
#endif
#ifdef STALL
  ; readings = 0
#endif
}

inline readMessage(who) {
  n = up[who].kind; y = up[who].token; z = up[who].age + 2;
  printf("@the coordinator reads %e of %c (token %d)\n", n, NAME(who), y);
#ifdef SOCKETS
  if :: n == hello -> bound[who] = true :: else fi;
#endif
  if :: DATES(n) && claim[who].request != 0 -> claim[who].lag = z; claim[who].since = 0 :: else fi;
  if
  :: n == acquire && holder == who + 1 && request == up[who].request && !pending ->
     if /* a repeat (R7) */
     :: ending -> tell(who, ended, token, 0, 0, 0)
     :: else -> buyWindow(); tell(who, granted, token, request, left, z)
     fi
  :: n == acquire && !(holder == who + 1 && request == up[who].request) ->
     claim[who].request = up[who].request; claim[who].lag = z; claim[who].since = 0
  :: n == renew && holder == who + 1 && token == y && !pending ->
     if
     :: ending -> tell(who, ended, token, 0, 0, 0)
     :: else -> buyWindow(); tell(who, renewed, token, 0, left, z)
     fi
#ifdef UNCONDITIONAL
  :: n == renew && holder != who + 1 -> tell(who, renewed, y, 0, TTL, z)
#else
  :: n == renew && !(holder == who + 1 && token == y) -> tell(who, gone, y, 0, 0, 0) /* S3 */
#endif
  :: n == release && holder == who + 1 && token == y && !pending -> vacate()
  :: n == endAck && holder == who + 1 && token == y && ending -> vacate()
#ifdef SOCKETS
  :: n == hello && holder == who + 1 && !ending && !pending ->
#ifdef FULL_WELCOME
     tell(who, welcome, token, 0, TTL, z)
#else
     tell(who, welcome, token, 0, left, z) /* what is left; nothing was renewed (R8) */
#endif
  :: n == hello && !(holder == who + 1 && !ending && !pending) -> tell(who, welcome, 0, 0, 0, 0)
#endif
  :: else
  fi;
  clearUp(who)
}

inline handOver(who) {
  left = TTL;
#ifdef STALL
  readings = 0;
#endif
  tell(who, granted, token, request, left, claim[who].lag);
  claim[who].request = 0; claim[who].lag = 0; claim[who].since = 0;
  check()
}

/* One instant p (R5): deadline and anchor count from here. */
inline grant(who) {
  readClock();
  mark++;
  holder = who + 1; token = mark; request = claim[who].request;
  printf("@the coordinator grants token %d to %c\n", token, NAME(who));
#ifdef RESTART
  pending = true;
#ifdef SPEAK_FIRST
  left = TTL; tell(who, granted, token, request, left, claim[who].lag)
#endif
#else
  handOver(who)
#endif
}

#define CAN_GRANT(i) (holder == 0 && claim[i].request != 0 && claim[i].since <= PINGS && mark < TOKENS)

#ifdef RESTART
inline store() {
  pending = false; heard = true;
  storedHolder = holder; storedToken = token; storedRequest = request; storedMark = mark; storedSilent = 0;
  printf("@token %d is durable\n", token);
  handOver(holder - 1)
}

inline restart() {
  crashes++;
  printf("@the coordinator is killed and starts again\n");
  clearUp(0); clearUp(1);
  claim[0].request = 0; claim[0].lag = 0; claim[0].since = 0;
  claim[1].request = 0; claim[1].lag = 0; claim[1].since = 0;
  holder = storedHolder; token = storedToken; request = storedRequest; mark = storedMark;
  pending = false; heard = false; hearing = false; until = 0;
#ifdef NO_WINDOWS
  left = 0;
#else
  left = (holder == 0 -> 0 : TTL - storedSilent);
#endif
  check()
}
#endif

proctype Coordinator() {
  do
#ifdef STALL
  :: d_step { phase == 0 -> /* what is over is judged by this reading (R6) */
       readClock(); over = holder != 0 && left == 0; phase = 1;
       if
       :: over -> printf("@by the listening clock the lease of %c is over\n", NAME(holder - 1))
       :: else
       fi;
       assert(!over || readings * STEP >= TTL); /* S9: a stall counts as one step at most */
#ifdef EXPIRE_FIRST
       if :: over -> expire(); over = false :: else fi
#endif
       ; END
     }
  :: d_step { phase == 1 -> up[0].taken = up[0].kind != 0; up[1].taken = up[1].kind != 0; phase = 2; END }
  :: d_step { phase == 2 -> /* windows count from this one */
#ifndef WINDOW_EARLY
       readClock();
#endif
#ifdef EXPIRE_LATE
       over = holder != 0 && left == 0;
#endif
       if :: up[0].taken -> readMessage(0) :: else fi;
       if :: up[1].taken -> readMessage(1) :: else fi;
#ifdef WINDOW_EARLY
       readClock();
#endif
       if :: over && holder != 0 && left == 0 -> expire() :: else fi;
       over = false; phase = 0; END }
  :: d_step { phase == 0 && CAN_GRANT(0) -> grant(0); END }
  :: d_step { phase == 0 && CAN_GRANT(1) -> grant(1); END }
#else
  :: d_step { up[0].kind != 0 -> readMessage(0); END }
  :: d_step { up[1].kind != 0 -> readMessage(1); END }
  :: d_step { holder != 0 && left == 0 && !pending -> expire(); END }
  :: d_step { CAN_GRANT(0) -> grant(0); END }
  :: d_step { CAN_GRANT(1) -> grant(1); END }
#endif
#ifdef REVOKE
  :: d_step { holder != 0 && !ending && !pending && !revokedOnce ->
       revokedOnce = true;
       printf("@token %d is revoked\n", token);
       tell(holder - 1, ended, token, 0, 0, 0);
#ifdef REVOKE_OPENS
       vacate()
#else
       ending = true
#endif
       ; END
     }
#endif
#ifdef RESTART
  :: d_step { pending -> store(); END }
  :: d_step { hearing -> hearing = false; heard = true; storedSilent = 0;
       left = (until > left -> until : left); until = 0; printf("@heard is durable\n"); END }
  :: d_step { holder != 0 && !pending && !heard && !hearing && TTL - left > storedSilent ->
       storedSilent = TTL - left; printf("@silence of %d ticks is stored\n", storedSilent); END }
  :: d_step { holder == 0 && storedHolder != 0 ->
       storedHolder = 0; storedToken = 0; storedRequest = 0; storedSilent = 0;
#ifdef TOKEN_RESET
       storedMark = 0;
#endif
       printf("@the end is stored\n"); END }
  :: d_step { crashes < CRASHES -> restart(); END }
#endif
  od
}
