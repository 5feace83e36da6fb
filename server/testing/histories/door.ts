/**
 * The way to a simulated provider: one HTTP server in front of all of its accounts. Here an answer gets lost, comes late or is an old
 * one, and here somebody else acts while a request is under way.
 */
import { type Arrival, type Reply, serve } from './serve.ts'

/**
 * What happens to a request. `lost`: the provider acts, and its answer is lost. `never`: it does not arrive. `broken`: the provider
 * acts, and a proxy's error page is the answer. `failed`: the provider acts, and fails before it answers. `failed_first`: it fails
 * before it acts. A provider that keeps its answers keeps such a failure too. `denied`: the credentials are refused. `stale`: a
 * question gets its answer of before. `listed_twice`: an answer lists each refund of ours twice. `sum_late`: an answer lists refunds
 * that its sums do not show yet. `before`, `after`: somebody acts before the provider does, or between its act and the arrival of its
 * answer. `crash`: the process that asked dies when the provider has acted.
 */
export type Prank = {
  on: Kind
  what:
    | 'lost'
    | 'never'
    | 'broken'
    | 'failed'
    | 'failed_first'
    | 'denied'
    | 'stale'
    | 'listed_twice'
    | 'sum_late'
    | 'before'
    | 'after'
    | 'crash'
  act?: () => Promise<void>
}
export type Kind = 'read' | 'write' | 'open'

/** A request as the provider got it. `status`: null if it did not arrive. */
export type Seen = Arrival & { kind: Kind; status: number | null; text: string; at: number }

export type Door = Awaited<ReturnType<typeof openDoor>>

type Provider = {
  /** Null: a request that is none of the above, such as that for an access token. */
  kindOf(arrival: Arrival): Kind | null
  answer(arrival: Arrival): Promise<Reply | null> | Reply | null
  /** Fails, and gives the same answer whenever the request is repeated. Absent: it keeps no failures. */
  fail?(arrival: Arrival, hasActed: boolean): Reply | null
  twist?(text: string, what: 'listed_twice' | 'sum_late'): string
}

const DENIED: Reply = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"error":{"type":"invalid_request_error","message":"Invalid"}}',
}

const BROKEN: Reply = {
  status: 500,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Internal Server Error</h1>',
}

type State = ReturnType<typeof newState>

const newState = () => ({
  denied: false,
  pranks: [] as Prank[],
  seen: [] as Seen[],
  /** The last different answers of each address. */
  earlier: new Map<string, Reply[]>(),
  /** Ends the process that asked. */
  kill: () => {},
  /** Called with each request just before the provider acts on it, and with its answer just after that. */
  watch: async (_: Arrival, __: Kind): Promise<void> => {},
  answered: async (_: Arrival, __: Kind, ___: Reply | null): Promise<void> => {},
  /** The answer does not arrive as it was given. */
  altered: (_: Kind): void => {},
})

/** `now`: the provider's clock. */
export async function openDoor(now: () => Date, provider: Provider) {
  const state = newState()
  const server = await serve(async (arrival) => {
    const kind = provider.kindOf(arrival)
    return kind === null
      ? provider.answer(arrival)
      : answer(state, provider, { arrival, kind, at: now().getTime() })
  })
  return {
    state,
    origin: server.origin,
    isAway: () => server.isAway(),
    setAway: server.setAway,
    close: server.close,
    async reset(): Promise<void> {
      await server.setAway(false)
      Object.assign(state, newState())
    },
  }
}

async function answer(
  state: State,
  provider: Provider,
  { arrival, kind, at }: { arrival: Arrival; kind: Kind; at: number },
): Promise<Reply | null> {
  const index = state.pranks.findIndex(({ on }) => on === kind)
  const [prank] = index < 0 ? [] : state.pranks.splice(index, 1)
  const note = (reply: Reply | null) =>
    state.seen.push({ ...arrival, kind, status: reply?.status ?? null, text: reply?.body ?? '', at })
  const isDenied = state.denied || prank?.what === 'denied'
  if (isDenied || prank?.what === 'never') {
    const reply = isDenied ? DENIED : null
    note(reply)
    return reply
  }
  if (prank?.what === 'before') await prank.act?.()
  await state.watch(arrival, kind)
  const reply = await act(provider, arrival, prank)
  note(reply)
  await state.answered(arrival, kind, reply)
  const old = kind === 'read' && reply ? olderThan(state, arrival.url, reply) : undefined
  if (prank?.what === 'after') await prank.act?.()
  const given = prank && reply ? bend(state, provider, prank, { reply, old }) : reply
  if (given !== reply) state.altered(kind)
  return given
}

async function act(provider: Provider, arrival: Arrival, prank: Prank | undefined): Promise<Reply | null> {
  const isFailing = prank?.what === 'failed' || prank?.what === 'failed_first'
  const hasActed = prank?.what !== 'failed_first'
  if (isFailing && provider.fail) return provider.fail(arrival, hasActed)
  return hasActed ? provider.answer(arrival) : BROKEN
}

/** The answer before the last change. */
function olderThan({ earlier }: State, url: string, reply: Reply): Reply | undefined {
  const all = earlier.get(url) ?? []
  if (all.at(-1)?.body !== reply.body) earlier.set(url, [...all.slice(-3), reply])
  return all.findLast(({ body }) => body !== reply.body)
}

function bend(
  state: State,
  provider: Provider,
  { what }: Prank,
  { reply, old }: { reply: Reply; old: Reply | undefined },
): Reply | null {
  switch (what) {
    case 'crash':
      state.kill()
      return null
    case 'lost':
      return null
    case 'broken':
      return BROKEN
    case 'failed':
      return reply.status === BROKEN.status ? reply : BROKEN
    case 'stale':
      return old ?? reply
    case 'listed_twice':
    case 'sum_late':
      return { ...reply, body: provider.twist?.(reply.body, what) ?? reply.body }
    default:
      return reply
  }
}
