/** Orders of a shop, what happens to their payments, and the tasks that a receiver kit must have created. */

import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { Context } from '../../context.ts'
import { createSession } from '../../payments/creation/session.ts'
import { applyStatus } from '../../payments/transition.ts'
import { sessionRequest } from '../calls.ts'
import type { KitTask } from './kit-shop.ts'

const AMOUNT = 1900
export const PRICE = { amountMinor: AMOUNT, currency: 'USD' }
const TAKEN = { authorizedMinor: AMOUNT, capturedMinor: AMOUNT, refundedMinor: 0 }
const PENDING = { to: 'pending_payment' } as const
const PAID = { to: 'paid', money: TAKEN } as const

/** The payments of an order, and the changes of each. Each change is one event. */
const STORIES = {
  paid: [[PENDING, PAID]],
  partly_refunded: [[PENDING, PAID, { to: 'partially_refunded', money: { ...TAKEN, refundedMinor: 500 } }]],
  refunded: [[PENDING, PAID, { to: 'refunded', money: { ...TAKEN, refundedMinor: AMOUNT } }]],
  refund_failed: [[PENDING, PAID, { to: 'refunded', money: { ...TAKEN, refundedMinor: AMOUNT } }, PAID]],
  dispute_won: [[PENDING, PAID, { to: 'disputed', money: TAKEN }, PAID]],
  paid_twice: [
    [PENDING, PAID],
    [PENDING, PAID],
  ],
  failed: [[PENDING, { to: 'failed' }]],
} as const
type Story = keyof typeof STORIES
const NAMES = Object.keys(STORIES) as Story[]

type KitOrder = { orderId: string; story: Story; payments: string[] }

/** At least this many events. */
export function planOrders(events: number): KitOrder[] {
  const orders: KitOrder[] = []
  for (let at = 0; countEvents(orders) < events; at++) {
    const story = NAMES[at % NAMES.length] ?? 'paid'
    orders.push({ orderId: `${story}-${at}`, story, payments: [] })
  }
  return orders
}

export const countEvents = (orders: KitOrder[]): number =>
  orders.flatMap(({ story }) => STORIES[story].flatMap((changes) => [...changes])).length

export async function liveOrder(ctx: Context, merchantId: string, order: KitOrder): Promise<void> {
  for (const [at, changes] of STORIES[order.story].entries()) {
    const request = sessionRequest({ merchantOrderId: order.orderId, provider: 'manual' })
    const idempotencyKey = `${order.orderId}-${at}`
    const { session } = await createSession(ctx, { merchantId, idempotencyKey, request })
    order.payments.push(session.id)
    for (const change of changes)
      await applyStatus(ctx, { merchantId, id: session.id }, { ...change, cause: 'provider' })
  }
}

/** How often an order of each story is delivered, and how often a person is asked about it. */
const EXPECTED: Record<Story, (delivered: number, questions: number) => boolean> = {
  paid: (delivered, questions) => delivered === 1 && questions === 0,
  // The refund comes before or after the shop has handled the payment.
  partly_refunded: (delivered, questions) => delivered + questions === 1,
  refunded: (delivered, questions) => delivered <= 1 && questions === 0,
  // A person is asked if the shop had not handled the payment before the refund or the dispute.
  refund_failed: (delivered, questions) => delivered + questions === 1,
  dispute_won: (delivered, questions) => delivered + questions === 1,
  paid_twice: (delivered, questions) => delivered === 1 && questions === 1,
  failed: (delivered, questions) => delivered === 0 && questions === 0,
}

/** Fails if the order was delivered twice or forgotten, or if the latest event of one of its payments was not handled. */
export function judgeOrder({ orderId, story, payments }: KitOrder, all: KitTask[]): void {
  const tasks = all.filter((each) => each.orderId === orderId)
  const count = (task: string) => tasks.filter((each) => each.task === task).length
  const [delivered, questions] = [count('DELIVER'), count('ASK A PERSON')]
  const made = tasks.map(({ task, sequence, why }) => `${task} ${sequence}: ${why}`).join(', ')
  expect(EXPECTED[story](delivered, questions), `${orderId}: ${made}`).toBe(true)
  for (const [at, id] of payments.entries()) {
    const last = Math.max(
      ...tasks.filter(({ paymentId }) => paymentId === id).map(({ sequence }) => sequence),
    )
    expect(last, `${orderId}, payment ${at + 1}: ${made}`).toBe(STORIES[story][at]?.length ?? 0)
  }
}

/** Returns the event's body. */
export function writeEvent(payment: { id: string; status: string }, sequence: number): string {
  return JSON.stringify({ id: 'evt_0written', type: 'payment.status_changed', sequence, payment })
}

/** Returns the signature header. The first of its two signatures is wrong, as while a secret is being rotated. */
export function signEvent(secret: string, body: string, t = Math.floor(Date.now() / 1000)): string {
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return `t=${t},v1=${'0'.repeat(64)},v1=${digest}`
}

/** Returns the status of the kit's reply. */
export async function postEvent(port: string, body: string, signature: string | null): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/kassa/callback`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...(signature !== null && { 'x-service-signature': signature }),
    },
  })
  await response.text()
  return response.status
}
