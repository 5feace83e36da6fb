/** What a history knows, and what its acts share. */
import type { Context } from '../../context.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import type { call } from '../calls.ts'
import { mortalDb } from '../mortal-db.ts'
import type { Kind, Prank } from './door.ts'
import type { Arrival, Reply } from './serve.ts'
import type { Desk, Standing } from './standing.ts'
import { ROUTES, type RouteName, type Seller, type World } from './world.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export type Sale = {
  id: string
  seller: Seller
  /** Null where the buyer chooses. */
  route: RouteName | null
  amountMinor: number
  currency: string
  hasEmail: boolean
  /** The providers' pages that the buyer has been sent to. */
  urls: string[]
  /** A person has decided about it against the provider's books. */
  isMisjudged: boolean
}
/** What a merchant asked for, and the answer. */
export type MerchantRequest = {
  sale: Sale
  what: string
  key: string
  status: number
  operationId: string | null
}
export type Choice = { at: number; size: number }
export type History = {
  world: World
  sales: Sale[]
  tokens: { id: string; route: RouteName; seller: Seller; setupUrl: string }[]
  subscriptions: { id: string; seller: Seller }[]
  requests: MerchantRequest[]
  /** The decisions of people that were stored, each with the version of the payment that was seen. */
  decisions: { id: string; version: number; as: string }[]
  keys: number
  /** What must never be, as it was noticed. */
  faults: string[]
  /** What happened, for people. */
  lines: string[]
  /** The process of this kind is dying, so its requests may fail in any way. */
  isDying: boolean
  /** The worker's own context. Its connection dies apart from that of the web process. */
  worker: Context
}

export function newHistory(world: World): History {
  const history: History = {
    world,
    sales: [],
    tokens: [],
    subscriptions: [],
    requests: [],
    decisions: [],
    keys: 0,
    faults: [],
    lines: [],
    isDying: false,
    worker: { ...world.ctx },
  }
  for (const desk of Object.values(world.desks)) watchWrites(history, desk)
  return history
}

/**
 * A provider is not asked for what it has just said that it would not do: more than is left, or what is disputed.
 */
function watchWrites(history: History, desk: Desk): void {
  let known = ''
  let before = ''
  const isRefund = (url: string, kind: string) => kind === 'write' && /refund/.test(url)
  Object.assign(desk.door.state, {
    async watch({ url }: Arrival, kind: Kind) {
      if (isRefund(url, kind)) before = JSON.stringify(await desk.orders())
    },
    altered(kind: Kind) {
      if (kind === 'read') known = ''
    },
    async answered({ url }: Arrival, kind: Kind, reply: Reply | null) {
      // A list of disputes does not say what was refunded. The answer before it may have been an old one.
      if (kind === 'read' && !/\/disputes\b/.test(url))
        known = reply && reply.status < 300 ? JSON.stringify(await desk.orders()) : ''
      if (!isRefund(url, kind) || known === '' || known !== before) return
      const text = reply?.body ?? ''
      const isRefused = !reply || reply.status >= 400 || text.includes('"result":"refused"')
      const isTooMuch = /only|greater than|EXCEEDED|FULLY_REFUNDED|already been refunded/i.test(text)
      const isDisputed =
        /DISPUTED|charged back/i.test(text) &&
        // While a buyer only asks, PayPal refuses a part too, and our books name no dispute. The request does not name its order.
        (await desk.orders()).every((each) => each.disputedMinor > 0 || each.capturedMinor === 0)
      if (isRefused && (isTooMuch || isDisputed))
        history.faults.push(
          `${desk.name} was asked for a refund that it had said it would not do: ${text.slice(0, 160)}`,
        )
    },
  })
}

export const chosen = ({ sales }: History, at: number): Sale | undefined => sales[at % sales.length]

export type OrderRow = { number: number; reference: string; provider: RouteName; state: string; own: boolean }

/** The payment's orders by the service's own books: only their names are taken from there. */
export async function ordersOf({ world }: History, { id }: Sale): Promise<OrderRow[]> {
  const { rows } = await world.look.query<OrderRow>({
    name: 'model.orders',
    text: `select a.number, a.reference, a.provider, a.state, p.attempt = a.number as own from sandbox.attempts a
      join sandbox.payments p on p.id = a.payment_id where a.payment_id = $1 order by a.number`,
    values: [id],
  })
  return rows
}

export const deskOf = ({ world }: History, route: RouteName): Desk => world.desks[ROUTES[route].desk]

/** The order of the payment that has money in a provider's books, else the latest one. */
export async function moneyOrder(
  history: History,
  sale: Sale,
): Promise<{ desk: Desk; order: Standing } | null> {
  const rows = (await ordersOf(history, sale)).filter(({ provider }) => provider in ROUTES)
  const all: { desk: Desk; order: Standing }[] = []
  for (const { provider, reference } of rows) {
    const desk = deskOf(history, provider)
    for (const order of await desk.orders()) if (order.reference === reference) all.push({ desk, order })
  }
  return all.find(({ order }) => order.capturedMinor > 0 || order.heldMinor > 0) ?? all.at(-1) ?? null
}

type Answer = Awaited<ReturnType<typeof call>>

/** A request to the service. An answer that no caller should ever get is a fault. */
export async function request(history: History, what: string, ask: Promise<Answer>): Promise<Answer | null> {
  const answer = await ask.catch(() => null)
  if (!answer || answer.status >= 500) {
    const isHonest = answer?.status === 503
    if (!history.isDying && !isHonest)
      history.faults.push(
        `${what} was answered with ${answer?.status}: ${JSON.stringify(answer?.body).slice(0, 200)}`,
      )
  }
  return answer
}

const SWEPT = ['statusSync', 'settledSync', 'moneyOperations', 'fiscalReceipts'] as const
const SWEPT_CARDS = ['cardSavings', 'endedSavings', 'cardRevocations', 'renewals'] as const

/** Everything that is due, once. `atOnce`: as a worker does it, all kinds at the same time. */
export async function sweepAll(history: History, { atOnce = false } = {}): Promise<void> {
  for (const desk of Object.values(history.world.desks)) await desk.work()
  const { worker } = history
  const names = history.tokens.length > 0 ? [...SWEPT, ...SWEPT_CARDS] : SWEPT
  if (atOnce) await Promise.all(names.map((name) => sweep(history, worker, name)))
  else for (const name of names) await sweep(history, worker, name)
}

const ROWS_MAX = 100

async function sweep(history: History, worker: Context, name: keyof typeof SWEEPS): Promise<void> {
  try {
    const rows = Number(await SWEEPS[name](worker))
    if (rows > ROWS_MAX) history.faults.push(`one run of ${name} worked on ${rows} rows`)
  } catch (error) {
    if (!history.isDying) history.faults.push(`${name} failed: ${(error as Error).message}`)
  }
}

export function advance({ world }: History, ms: number): void {
  world.kassa.clock.advance(ms)
}

export function spoil(desk: Desk, prank: Prank): void {
  desk.door.state.pranks.push(prank)
}

/** While `act` runs, this process dies after so many statements, or when a provider says so. */
export async function dying(
  history: History,
  who: 'web' | 'worker',
  after: number | null,
  act: () => Promise<unknown>,
): Promise<void> {
  const { ctx, desks } = history.world
  const { db } = ctx
  const target = who === 'web' ? ctx : history.worker
  const kill = (statements: number) => {
    history.isDying = true
    target.db = mortalDb(db, statements)
  }
  for (const { door } of Object.values(desks)) door.state.kill = () => kill(0)
  if (after !== null) kill(after)
  try {
    await act()
  } catch (error) {
    if (!history.isDying) throw error
  } finally {
    ctx.db = db
    history.worker = { ...ctx }
    history.isDying = false
    for (const { door } of Object.values(desks)) door.state.kill = () => {}
  }
}

/** What the service has given back by itself. */
export async function tellReturns({ world }: History): Promise<string[]> {
  const { rows } = await world.look.query<Record<'payment' | 'type' | 'attempt' | 'status', string>>(
    `select payment_id as payment, type, attempt, status from sandbox.operations where cause = 'service' order by id`,
  )
  return rows.map(
    ({ payment, type, attempt, status }) =>
      `  the service: ${type} of attempt ${attempt} of ${payment}, ${status}`,
  )
}
