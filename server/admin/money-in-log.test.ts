/** Rows of the audit log about money: who has returned, taken or confirmed what, by the command line and by the console. */
import { describe, expect, test } from 'vitest'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openAs } from '../testing/console.ts'
import { openShop, SECRETS_KEY } from '../testing/harness.ts'
import { type operate, operateHere, operateJson } from '../testing/operator.ts'
import { openConsole } from '../testing/scene/console.ts'

let orders = 0
const { kassa, desk, shop } = await openConsole({ settings: { SECRETS_KEY } })

const run = async (...args: string[]) => {
  const here: typeof operate = (_settings, words) => operateHere(async () => kassa.ctx, words)
  const { code, answer } = await operateJson({}, args, here)
  expect([code, answer.error], args.join(' ')).toEqual([0, undefined])
  return answer
}

async function open(provider: string): Promise<{ id: string; url: string }> {
  const order = `money-${++orders}`
  const body = sessionRequest({ merchantOrderId: order, amountMinor: 1900, provider })
  const { body: session } = await createSession(kassa.url, shop, { key: order, body })
  return { id: session.id, url: session.providerCheckoutUrl }
}

async function pay(provider: string): Promise<string> {
  const { id, url } = await open(provider)
  await payAtBank(url, 'paid')
  return id
}

type Row = {
  who: string
  what: string
  about: string
  before: object | null
  after: Record<string, unknown> | null
}
const rowsOf = async (id: string): Promise<Row[]> => (await run('audit', 'list', '--payment', id)).rows

const BANK = 'RF18 5390'
const CASES: Record<string, { do(): Promise<string>; money: object }> = {
  'payment refund': {
    async do() {
      const id = await pay('route_a')
      await run('payment', 'refund', '--payment', id, '--amount', '5.00', '--why', 'broken')
      return id
    },
    money: { type: 'refund', amount_minor: 500 },
  },
  'payment capture': {
    async do() {
      const id = await pay('route_b')
      await run('payment', 'capture', '--payment', id, '--amount', '12.00')
      return id
    },
    money: { type: 'capture', amount_minor: 1200 },
  },
  'payment void': {
    async do() {
      const id = await pay('route_b')
      await run('payment', 'void', '--payment', id, '--why', 'out of stock')
      return id
    },
    money: { type: 'void', amount_minor: 1900 },
  },
  'payment confirm': {
    async do() {
      const { id } = await open('manual')
      await run('payment', 'confirm', '--payment', id, '--reference', `${BANK} ${++orders}`)
      return id
    },
    money: { kind: 'taken', amount_minor: 1900 },
  },
  'payment returned': {
    async do() {
      const { id } = await open('manual')
      await run('payment', 'confirm', '--payment', id, '--reference', `${BANK} ${++orders}`)
      const back = ['--amount', '7.00', '--reference', `${BANK} ${++orders}`, '--why', 'a crack']
      await run('payment', 'returned', '--payment', id, ...back)
      return id
    },
    money: { kind: 'refunded', amount_minor: 700 },
  },
  'payment resolve': {
    async do() {
      const { id } = await open('manual')
      await run('payment', 'resolve', '--payment', id, '--as', 'failed', '--why', 'nobody came')
      return id
    },
    money: { to_status: 'failed', amount_minor: 1900 },
  },
  'operation resolve': {
    async do() {
      const id = await pay('route_a')
      const { body } = await askOperation(kassa.url, shop, id, 'refunds', {
        key: `refund-${id}`,
        body: { amountMinor: 400, reason: 'broken' },
      })
      // What a lost answer of the bank leaves.
      await kassa.ctx.db.query(
        `update sandbox.operations set status = 'processing', snapshot_before = '{}', sent_at = now() where id = $1`,
        [body.operation.id],
      )
      await kassa.ctx.db.query(
        `update sandbox.operations set status = 'requires_operator_review', due_at = null where id = $1`,
        [body.operation.id],
      )
      await run(
        'operation',
        'resolve',
        '--operation',
        body.operation.id,
        '--as',
        'failed',
        '--why',
        'the bank says no',
      )
      return id
    },
    money: { type: 'refund', to_status: 'failed', amount_minor: 400 },
  },
}

describe.each(Object.entries(CASES))('%s', (what, { do: act, money }) => {
  test('notes the payment, the amount and the currency in a row of the chain', async () => {
    const id = await act()
    const rows = (await rowsOf(id)).filter((row) => row.what === what)
    expect(rows.map(({ who }) => who)).toEqual(rows.map(() => 'tester'))
    expect(rows.map(({ after }) => after)).toContainEqual(
      expect.objectContaining({ ...money, currency: 'USD', payment_id: id }),
    )
    // Nothing that a person has written, and nothing of the buyer.
    expect(JSON.stringify(rows)).not.toMatch(/broken|RF18|a crack|nobody came|the bank says no/)
  })
})

test('calls of the API leave no row, and a payment shows only its own rows', async () => {
  const [own, other] = [await pay('route_a'), await pay('route_a')]
  await askOperation(kassa.url, shop, own, 'refunds', {
    key: `api-${own}`,
    body: { amountMinor: 100, reason: 'x' },
  })
  await run('payment', 'refund', '--payment', other, '--amount', '1.00', '--why', 'broken')
  expect(await rowsOf(own)).toEqual([])
  expect((await rowsOf(other)).length).toBeGreaterThan(0)
  expect((await run('audit', 'verify')).faults).toEqual([])
})

test('the console answers who has returned what of a payment, with the amount', async () => {
  const id = await pay('route_a')
  await run('payment', 'refund', '--payment', id, '--amount', '6.50', '--why', 'broken')
  const other = await pay('route_a')
  await run('payment', 'refund', '--payment', other, '--amount', '2.00', '--why', 'broken')
  const person = { name: 'Root', role: 'administrator', email: 'root@pay.example' } as const
  const { browser } = await openAs(kassa.ctx, desk, person)
  const { text } = await browser.get(`/sandbox/audit?payment=${id}`)
  expect(text).toMatch(/<strong><bdi>tester<\/bdi><\/strong> <span>returning money/)
  expect(text).toContain('$6.50')
  expect(text).not.toContain(other)
  // A viewer of another shop gets nothing of it.
  const foreign = await openShop(kassa.ctx)
  const viewer = {
    name: 'Eve',
    role: 'shop',
    email: 'eve@pay.example',
    merchantId: foreign.merchantId,
  } as const
  const eve = (await openAs(kassa.ctx, desk, viewer)).browser
  const found = await eve.get(`/sandbox/audit?payment=${id}`)
  expect(found.text).not.toContain('$6.50')
})
