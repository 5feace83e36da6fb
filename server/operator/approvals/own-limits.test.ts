/** A person's own limit holds by every door of that person: forms, commands, the desk and proposals, also as a sum per day. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { actAs } from '../../access/acting.ts'
import { openSession } from '../../access/sessions.ts'
import { addUser, type Changed, changeUser } from '../../access/users.ts'
import { actOfDecision, type Decision } from '../../acts/case-decision.ts'
import { doAct } from '../../acts/do.ts'
import type { Person } from '../../audit/people.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { returnedOf } from '../../payments/return-limits.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { hiddenIn, openBrowser, type TestBrowser } from '../../testing/console.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { grantAs, proposeAs } from '../../testing/scene/people.ts'
import { actOnMoney } from '../acts/money.ts'
import { getCase } from '../desk/case.ts'
import { doOrPropose } from './approvals.ts'
import { type ArgsOf, GUARDED, type GuardedName } from './guarded.ts'

const DAY_MS = 24 * 3_600_000
const LIMIT = 5_000

let count = 0
const { kassa, desk, shop } = await openConsole()
await addUser(kassa.ctx, { name: 'Root', role: 'administrator', email: 'root@pay.example' })
beforeEach(() => {
  kassa.clock.advance(DAY_MS)
})

async function limited(refundLimits: Record<string, number> | null = { USD: LIMIT }): Promise<Changed> {
  const name = `Person ${++count}`
  return addUser(kassa.ctx, { name, role: 'operator', email: `p${count}@pay.example`, refundLimits })
}
async function pay(amountMinor: number, provider = 'route_a', outcome = 'paid'): Promise<string> {
  const key = `own-${++count}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor, provider })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  if (provider === 'manual')
    await confirmPayment(kassa.ctx, session.id, { actor: 'Ani', reference: `IN${count}` })
  else await payAtBank(session.providerCheckoutUrl, outcome)
  return session.id
}
async function returned(id: string): Promise<number> {
  const payment = await findPaymentById(kassa.ctx.db, id)
  if (!payment) throw new Error('There is no such payment.')
  return returnedOf(payment, await listEntries(kassa.ctx.db, payment))
}

/** As the desk of the console does it. */
async function decide(by: Changed, kind: 'undecided' | 'operation', subject: string, choice: string) {
  const detail = await getCase(kassa.ctx, { kind, subject, accountId: null, merchantId: null })
  const decision: Decision = { choice, why, seen: detail.seen }
  const { row, given } = actOfDecision(detail, decision)
  return doAct(kassa.ctx, personOf(by), row, given)
}

const personOf = ({ operator: { id, name, role } }: Changed): Person => ({ id, name, role })
const decimal = (minor: number) => (minor / 100).toFixed(2)
const browsers = new Map<string, TestBrowser>()
async function browserOf({ operator: { id } }: Changed): Promise<TestBrowser> {
  const browser = browsers.get(id) ?? openBrowser(desk)
  if (!browsers.has(id)) {
    const secret = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, id, '127.0.0.1'))
    browser.cookies.set('kassa_console_session', secret)
  }
  browsers.set(id, browser)
  return browser
}

async function command({ key }: Changed, ...args: string[]) {
  const { code, answer } = await operateJson({}, args, (_settings, words) =>
    operateHere(async () => kassa.ctx, words, { key: key ?? '' }),
  )
  if (code !== 0 || answer.proposed) throw new Error(answer.error?.code ?? 'proposed')
}
async function form(by: Changed, id: string, act: string, fields: Record<string, string>) {
  const browser = await browserOf(by)
  const at = `/sandbox/payments/${id}/${act}`
  const { text } = await browser.get(at)
  const { location } = await browser.post(at, { ...hiddenIn(text), ...fields, confirm: 'yes' })
  if (!location?.endsWith(`done=${act}`)) throw new Error(location ?? 'refused')
}
async function verb<Name extends GuardedName>(by: Changed, name: Name, args: ArgsOf<Name>) {
  const { id, name: who } = by.operator
  const actor = { id, name: who, merchantId: null }
  const { ctx } = actAs(kassa.ctx, actor, { address: 'test', what: name, about: '' })
  const decided = await doOrPropose(ctx, personOf(by), name, args)
  if ('proposed' in decided) throw new Error('proposed')
}

type Door = { provider: string; go(by: Changed, id: string, amountMinor: number): Promise<unknown> }
const why = 'broken'
const reference = () => `OUT ${++count}`
const DOORS: Record<string, Door> = {
  'the form of a refund': {
    provider: 'route_a',
    go: (by, id, minor) => form(by, id, 'refund', { amount: decimal(minor), why }),
  },
  'the form of a release': { provider: 'route_b', go: (by, id) => form(by, id, 'void', { why }) },
  'the form of a return by hand': {
    provider: 'manual',
    go: (by, id, minor) => form(by, id, 'returned', { amount: decimal(minor), reference: reference(), why }),
  },
  'payment refund': {
    provider: 'route_a',
    go: (by, id) => command(by, 'payment', 'refund', '--payment', id, '--why', why),
  },
  'payment void': {
    provider: 'route_b',
    go: (by, id) => command(by, 'payment', 'void', '--payment', id, '--why', why),
  },
  'payment returned': {
    provider: 'manual',
    go: (by, id, minor) =>
      command(
        by,
        'payment',
        'returned',
        '--payment',
        id,
        '--amount',
        decimal(minor),
        '--reference',
        reference(),
      ),
  },
  'payment capture of a small part': {
    provider: 'route_b',
    go: (by, id) => command(by, 'payment', 'capture', '--payment', id, '--amount', '0.01'),
  },
}

describe.each(Object.entries(DOORS))('%s', (name, { provider, go }) => {
  const released = name.includes('small part') ? 1 : 0
  const tryOut = async (by: Changed, amountMinor: number) => {
    const id = await pay(amountMinor + released, provider)
    return go(by, id, amountMinor).then(
      () => 'done',
      () => 'refused',
    )
  }

  test('moves no more than the own limit, of one payment and in a day', async () => {
    const by = await limited()
    const tried = []
    for (const amountMinor of [LIMIT + 1, 3_000, 2_001, 2_000]) tried.push(await tryOut(by, amountMinor))
    expect(tried).toEqual(['refused', 'done', 'refused', 'done'])
    // The sum begins anew for all doors in the same way.
    if (name !== 'payment refund') return
    kassa.clock.advance(DAY_MS)
    expect(await tryOut(by, LIMIT)).toBe('done')
  })

  test('moves no more at the same moment, together with another door', async () => {
    const by = await limited()
    const doors = [go, DOORS['payment refund']?.go ?? go]
    const ids = []
    for (let at = 0; at < 4; at++)
      ids.push(await pay(LIMIT / 2 + (at % 2 ? 0 : released), at % 2 ? 'route_a' : provider))
    // The form opens a session once.
    await browserOf(by)
    const all = await Promise.allSettled(ids.map((id, at) => doors[at % 2]?.(by, id, LIMIT / 2)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  test('needs a second person above the limit of the deployment, also as the sum of a day', async () => {
    const by = await limited(null)
    await storeLimit(kassa.ctx.db, 'USD', LIMIT)
    try {
      const tried = []
      for (const amountMinor of [LIMIT + 1, 3_000, 2_001]) tried.push(await tryOut(by, amountMinor))
      expect(tried).toEqual(['refused', 'done', 'refused'])
    } finally {
      await storeLimit(kassa.ctx.db, 'USD', null)
    }
  })
})

test('a limit in one currency is none in another, and a separate limit of the day counts', async () => {
  const by = await limited({ USD: 1_000 })
  await changeUser(kassa.ctx, by.operator.id, { refundLimitsDay: { USD: 2_500 } })
  const refund = async (amountMinor: number) =>
    verb(by, 'payment refund', { paymentId: await pay(amountMinor), why })
  for (const amountMinor of [1_000, 1_000]) await refund(amountMinor)
  await expect(refund(501)).rejects.toMatchObject({ code: 'refund_limit_reached' })
  await refund(500)
})

describe('what only decides about money', () => {
  test('is bounded by the amount', async () => {
    const by = await limited()
    const unknown = await pay(LIMIT + 1, 'route_a', 'unknown')
    await kassa.ctx.db.query(
      "update sandbox.payments set status = 'status_unknown', version = version + 1 where id = $1 and status <> 'status_unknown'",
      [unknown],
    )
    await expect(
      command(by, 'payment', 'resolve', '--payment', unknown, '--as', 'refunded', '--why', why),
    ).rejects.toThrow('refund_limit_reached')
    await expect(decide(by, 'undecided', unknown, 'refunded')).rejects.toMatchObject({
      code: 'refund_limit_reached',
    })
  })

  test('is bounded for the outcome of a refund too', async () => {
    const by = await limited()
    const id = await pay(LIMIT + 1)
    const { operation } = await actOnMoney(kassa.ctx, 'refund', { paymentId: id, why }, 'Root')
    await kassa.ctx.db.query("update sandbox.operations set status = 'processing' where id = $1", [
      operation.id,
    ])
    await kassa.ctx.db.query(
      "update sandbox.operations set status = 'requires_operator_review', due_at = null where id = $1",
      [operation.id],
    )
    for (const as of ['succeeded', 'failed'])
      await expect(
        command(by, 'operation', 'resolve', '--operation', operation.id, '--as', as, '--why', why),
      ).rejects.toThrow('refund_limit_reached')
    await expect(decide(by, 'operation', operation.id, 'failed')).rejects.toMatchObject({
      code: 'refund_limit_reached',
    })
  })
})

describe('a proposal', () => {
  beforeAll(() => storeLimit(kassa.ctx.db, 'USD', 1_000))
  afterAll(() => storeLimit(kassa.ctx.db, 'USD', null))
  const propose = async (by: Changed, amountMinor: number) => {
    const args = { paymentId: await pay(amountMinor), why }
    const id = await proposeAs(kassa.ctx, personOf(by), 'payment refund', args)
    return { id, paymentId: args.paymentId }
  }
  const grant = async (id: string) => grantAs(kassa.ctx, personOf(await limited(null)), id)

  test('is refused when asked above the own limit, and when granted above a lowered one', async () => {
    const by = await limited()
    await expect(propose(by, LIMIT + 1)).rejects.toMatchObject({ code: 'refund_limit_reached' })
    const { id, paymentId } = await propose(by, 3_000)
    await changeUser(kassa.ctx, by.operator.id, { refundLimits: { USD: 2_999 } })
    await expect(grant(id)).rejects.toThrow('above the own limit')
    expect(await returned(paymentId)).toBe(0)
    // A limit that is raised again does not bring it back.
    await changeUser(kassa.ctx, by.operator.id, { refundLimits: { USD: LIMIT } })
    await expect(grant(id)).rejects.toThrow('already')
  })

  test('waits for another day if the sum of this day is above the own limit', async () => {
    const by = await limited()
    const proposals = [await propose(by, 3_000), await propose(by, 3_000)]
    await grant(proposals[0]?.id ?? '')
    await expect(grant(proposals[1]?.id ?? '')).rejects.toMatchObject({ code: 'refund_limit_reached' })
    kassa.clock.advance(DAY_MS)
    await grant(proposals[1]?.id ?? '')
    expect(await returned(proposals[1]?.paymentId ?? '')).toBe(3_000)
  })

  test('counts no more at the same moment', async () => {
    const by = await limited()
    const proposals = []
    for (let at = 0; at < 4; at++) proposals.push(await propose(by, 2_000))
    const all = await Promise.allSettled(proposals.map(({ id }) => grant(id)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  test('does not use up what the proposer may return alone', async () => {
    const by = await limited(null)
    await grant((await propose(by, 20_000)).id)
    await verb(by, 'payment refund', { paymentId: await pay(1_000), why })
    await propose(by, 1)
  })
})

test('every act that returns money is bounded, and has no other name', () => {
  const bounded = Object.entries(GUARDED).flatMap(([name, row]) =>
    'bounded' in row && row.bounded ? [name] : [],
  )
  expect(bounded.sort()).toEqual([
    'operation resolve',
    'payment capture',
    'payment confirm',
    'payment refund',
    'payment resolve',
    'payment returned',
    'payment void',
  ])
})
