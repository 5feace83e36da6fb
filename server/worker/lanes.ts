/**
 * Due work, account by account. Each account has its own lane, with a limit on the rows that are worked on at once.
 * Rule: an account whose provider hangs does not delay another account.
 */
import type { Context } from '../context.ts'
import { logFailure } from '../log/log.ts'

/** How many rows of one kind a process works on at once for one account. */
const UNDER_WAY_MAX = 10
/** A run continues while it makes more rows due, for example the next operation on the same payment. This limits it. */
const ROWS_MAX = 2_000

export type LaneItem = { merchantId: string }
/** `id`: an account, or a cash register. */
export type Lanes = {
  /** Returns the lanes that have work now. */
  list(ctx: Context): Promise<string[]>
  /** Does all the due work of one lane, or less after `stop` is aborted. Returns how many rows it worked on. */
  work(ctx: Context, id: string, stop?: AbortSignal): Promise<number>
}

/** Works on everything that is due, all lanes at once, and waits for it. Returns how many rows it worked on. */
export async function workOnAll(ctx: Context, lanes: Lanes): Promise<number> {
  const ids = await ctx.share.run(() => lanes.list(ctx))
  const counts = await Promise.all(ids.map((id) => lanes.work(ctx, id)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Each turn starts the lanes that have work, without waiting for them. A lane that still runs is not started again. */
export function openLanes(ctx: Context, name: string, lanes: Lanes, stop: AbortSignal) {
  const running = new Map<string, Promise<unknown>>()
  const start = (id: string) => {
    const work = lanes
      .work(ctx, id, stop)
      .catch((error: unknown) =>
        logFailure(ctx.log, 'error', 'sweep failed', { err: error, sweep: name, lane: id }),
      )
      .finally(() => running.delete(id))
    running.set(id, work)
  }
  return {
    async turn(): Promise<void> {
      for (const id of await lanes.list(ctx)) if (!running.has(id)) start(id)
    },
    /** Waits for the running lanes. */
    async settle(): Promise<void> {
      await Promise.all(running.values())
    },
  }
}

/**
 * Claims rows of one lane and works on them, at most `atOnce` at a time, until none is due. A row whose work fails is due
 * again when its lease ends, and holds up no other row. In the sandbox, beside a busy live world, it claims one row at a time and
 * waits before each. Without that, the rows' leases could end while the rows wait.
 */
export async function workThrough<Row extends LaneItem>(
  ctx: Context,
  claim: (limit: number) => Promise<Row[]>,
  work: (ctx: Context, row: Row) => Promise<void>,
  { stop, atOnce = UNDER_WAY_MAX }: { stop?: AbortSignal | undefined; atOnce?: number } = {},
): Promise<number> {
  const underWay = new Set<Promise<void>>()
  const begin = (row: Row) => {
    const done: Promise<void> = work(ctx, row)
      .catch((error: unknown) => {
        const { id, paymentId } = row as { id?: string; paymentId?: string }
        ctx.log.error(
          { err: error, id, paymentId },
          'work on a due row failed; it is repeated when its lease ends',
        )
      })
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }
  let taken = 0
  async function takeSome(): Promise<boolean> {
    const room = (ctx.share.isScarce() ? 1 : atOnce) - underWay.size
    const mayClaim = room > 0 && taken < ROWS_MAX && !stop?.aborted
    const rows = mayClaim ? await claim(room) : []
    rows.forEach(begin)
    taken += rows.length
    if (underWay.size === 0) return false
    await Promise.race(underWay)
    return true
  }
  try {
    while (await ctx.share.run(takeSome, () => stop?.aborted ?? false));
    return taken
  } finally {
    await Promise.all(underWay)
  }
}
