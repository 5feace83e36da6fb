/**
 * Makes a Kassa die at a named point. The points are before and after its statements, its calls of the provider and its responses.
 * They are added from outside, and the service's own code has none.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../app.ts'
import { releaseWidget } from '../../channels/widget-release.ts'
import type { Context } from '../../context.ts'
import type { Db, Tx } from '../../storage/db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { statementName } from '../mortal-db.ts'
import { countingBankDriver } from '../providers/counting-bank.ts'

const SWEEP_MS = 200

/** `sweeps`: the names of those that run. `bankUrl`: the counting bank, or empty for the provider of the settings. */
type DyingRun = {
  sweeps: readonly string[]
  bankUrl: string
  crash: { at: string; nth: number } | undefined
}

type Ask = (...question: unknown[]) => Promise<unknown>

/** Nothing that waits for this continues. */
const never = new Promise<never>(() => {})

/**
 * Serves this Kassa on `server` and runs its sweeps again and again. Calls `die` at the point of `crash`. `isDead`: whether `die` has
 * run. If it has not ended the process, no code of the Kassa continues, because none gets a response any more.
 */
export async function runUntilDeath(
  ctx: Context,
  server: Server,
  { run, die, isDead }: { run: DyingRun; die(point: string): void; isDead(): boolean },
): Promise<{ sweeping: Promise<unknown> }> {
  const { sweeps, bankUrl, crash } = run
  let timesLeft = crash?.nth ?? 0
  const reach = (point: string): Promise<never> | undefined => {
    if (!isDead() && point === crash?.at && --timesLeft === 0) die(point)
    return isDead() ? never : undefined
  }
  watchStatements(ctx.db, (ask) => async (...question) => {
    const name = statementName(question[0])
    await reach(`before ${name}`)
    try {
      return await ask(...question)
    } finally {
      await reach(`after ${name}`)
    }
  })
  silenceProviders(ctx, isDead)
  if (bankUrl) ctx.routes.route_a.driver = countingBankDriver(bankUrl, reach)
  const app = createApp({ sandbox: ctx }, { widget: await releaseWidget(ctx) })
  server.on('request', (request, response) => {
    const end = response.end.bind(response) as (...args: unknown[]) => typeof response
    response.end = ((...args: unknown[]) =>
      reach('before answer') ? response : end(...args)) as typeof response.end
    response.once('finish', () => void reach('after answer'))
    app(request, response)
  })
  const each = sweeps.map((name) => keepSweeping(ctx, SWEEPS[name as keyof typeof SWEEPS], isDead))
  return { sweeping: Promise.all(each) }
}

/** After the death no request leaves, and nobody learns that one which was under way has failed. */
function silenceProviders(ctx: Context, isDead: () => boolean): void {
  const { open } = ctx.providers
  ctx.providers.open = (...given) => {
    const http = open(...given)
    return {
      ...http,
      async request(request) {
        if (isDead()) return never
        try {
          return await http.request(request)
        } finally {
          if (isDead()) await never
        }
      },
    }
  }
}

async function keepSweeping(
  ctx: Context,
  sweep: (ctx: Context) => Promise<unknown>,
  isDead: () => boolean,
): Promise<void> {
  while (!isDead()) {
    await sleep(SWEEP_MS)
    if (!isDead()) await sweep(ctx).catch(() => {})
  }
}

/** Watches every statement of the pool, inside and outside of transactions. */
function watchStatements(db: Db, watched: (ask: Ask) => Ask): void {
  const connect = db.connect.bind(db) as (...args: unknown[]) => Promise<Tx>
  const watchClient = (client: Tx): Tx =>
    new Proxy(client, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return name === 'query' ? watched(member.bind(target)) : member.bind(target)
      },
    })
  db.query = watched(db.query.bind(db) as Ask) as unknown as Db['query']
  // The pool itself connects with a callback. Only transactions connect without one.
  db.connect = ((...args: unknown[]) =>
    args.length > 0 ? connect(...args) : connect().then(watchClient)) as Db['connect']
}

const CREATED = 'net.client.socket'

/**
 * Calls `act` when this process has connected to `url`, before anything is written. Only at the next connection. A process may be stopped
 * between both for any time: by a signal, by a machine that is paused, or because others use the processor.
 */
export function beforeWriting(url: string, act: () => void): void {
  const port = Number(new URL(url).port)
  const watch = (created: unknown) => {
    const { socket } = created as { socket: Socket }
    socket.prependOnceListener('connect', () => {
      if (socket.remotePort !== port) return
      unsubscribe(CREATED, watch)
      act()
    })
  }
  subscribe(CREATED, watch)
}
