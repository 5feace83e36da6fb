/** The counter: the answer to "did it go through?", a link for the buyer to scan, and waiting for it. */
import { describe, expect, test } from 'vitest'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, readPage, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { CONSOLE_WORDS } from '../words/translate.ts'
import { verdictOf } from './verdict.ts'

const { kassa, shop, signIn, signInAs } = await openConsole()
await signIn('administrator')
const { browser: cashier, id: cashierId } = await signInAs('cashier')

let orders = 0
async function pay(outcome: string, amountMinor: number, of = shop): Promise<string> {
  const body = sessionRequest({ merchantOrderId: `till-${++orders}`, amountMinor })
  const { body: session } = await createSession(kassa.url, of, { key: `till-${orders}`, body })
  await payAtBank(session.providerCheckoutUrl, outcome)
  return session.id
}
const ask = (q: string) => cashier.get(`/sandbox/counter?${new URLSearchParams({ q })}`)
const answerIn = (text: string) => /class="verdict" data-answer="(\w+)"/.exec(text)?.[1]
const words = CONSOLE_WORDS.en

describe('did it go through', () => {
  test('is the first screen of a cashier, and one payment is answered at once', async () => {
    expect((await cashier.get('/')).location).toBe('/sandbox/counter')
    const id = await pay('paid', 4_711)
    for (const q of [id.slice(-8), `${id.slice(-8, -4).toUpperCase()} ${id.slice(-4)}`, '47.11', '47,11'])
      expect([q, (await ask(q)).location]).toEqual([q, `/sandbox/counter/${id}`])
    const { text } = await cashier.get(`/sandbox/counter/${id}`)
    expect([answerIn(text), text.includes(words.verdictYes), text.includes('$47.11')]).toEqual([
      'yes',
      true,
      true,
    ])
    expect(text).not.toContain('http-equiv="refresh"')
  })

  test('of several the cashier chooses, each with its answer, and none is said to be paid by another shop', async () => {
    const [paid, declined] = [await pay('paid', 5_005), await pay('declined', 5_005)]
    const foreign = await pay('paid', 5_005, await openShop(kassa.ctx))
    const { text } = await ask('50.05')
    expect([paid, declined, foreign].map((id) => text.includes(`/counter/${id}`))).toEqual([
      true,
      true,
      false,
    ])
    expect(
      [...text.matchAll(/class="sign"[^>]*data-answer="(\w+)"/g)].map(([, answer]) => answer).sort(),
    ).toEqual(['wait', 'yes'])
    expect(answerIn((await ask('77.77')).text)).toBe('no')
  })

  test('every status has an answer, and only money that is there is a yes', () => {
    const yes = PAYMENT_STATUSES.filter((status) => verdictOf({ status, isUnderWay: false }).answer === 'yes')
    expect(yes).toEqual(['authorized', 'paid', 'partially_refunded'])
    for (const isUnderWay of [true, false])
      for (const status of ['created', 'pending_redirect', 'pending_payment'] as const)
        expect(verdictOf({ status, isUnderWay }).answer).toBe('wait')
  })

  test('a payment of another day says so', async () => {
    const id = await pay('paid', 1_234)
    kassa.clock.advance(86_400_000)
    expect((await cashier.get(`/sandbox/counter/${id}`)).text).toContain(words.counterOtherDay)
  })
})

describe('a new link', () => {
  const path = () => `/sandbox/shops/${shop.merchantId}/link`
  const open = async (more: Record<string, string> = {}) => {
    const { text } = await cashier.get(path())
    const once = /name="once" value="([^"]+)"/.exec(text)?.[1] ?? ''
    return { once, amount: '12,50', currency: 'USD', word: 'Two cups of tea', ...more }
  }

  test('is made once however often the form is sent, and waits until it is paid', async () => {
    const form = await open()
    const made = await Promise.all([cashier.post(path(), form), cashier.post(path(), form)])
    const [address] = made.map(({ location }) => location)
    expect(made.map(({ location }) => location)).toEqual([address, address])
    const id = String(address).split('/').at(-1) as string
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({
      amountMinor: 1_250,
      description: form.word,
    })
    const rows = await readAuditChain(kassa.ctx.db, 0, 1_000)
    expect(rows.filter(({ what }) => what === 'link create').map(({ who }) => who)).toContain('A cashier')
    const { text } = await cashier.get(String(address))
    expect([answerIn(text), text.includes('class="qr-code"')]).toEqual(['wait', true])

    // The script's short question, and the refresh without a script. Neither keeps the session alive.
    await kassa.ctx.db.query(
      "update kassa.console_sessions set seen_at = now() - interval '20 minutes' where operator_id = $1",
      [cashierId],
    )
    const mark = /data-live="([^"]+)"/.exec(text)?.[1] ?? ''
    const look = (number: number) =>
      cashier.get(`${address}?${new URLSearchParams({ live: String(number), mark })}`)
    const same = await look(1)
    expect([same.status, same.text, same.headers.get('retry-after')]).toEqual([204, '', '3'])
    expect((await look(90)).headers.get('retry-after')).toBeNull()
    expect((await cashier.get(`${address}?live=4`)).text).toContain(`content="3; url=${address}?live=5"`)
    expect((await cashier.get(`${address}?live=90`)).text).not.toContain('http-equiv="refresh"')
    const page = await readPage(/href="(http[^"]*\/link\/[^"]*)"/.exec(text)?.[1] ?? '')
    expect(page.status).toBe(200)
    await kassa.ctx.db.query(
      "update sandbox.payments set status = 'pending_payment', version = version + 1 where id = $1",
      [id],
    )
    const changed = await look(2)
    expect([changed.status, changed.headers.get('retry-after')]).toEqual([200, '3'])
    const { rows: seen } = await kassa.ctx.db.query(
      "select seen_at < now() - interval '19 minutes' as idle from kassa.console_sessions where operator_id = $1",
      [cashierId],
    )
    expect(seen).toEqual([{ idle: true }])
  })

  test('with a fraction of a dram says that there are none', async () => {
    const { text } = await cashier.post(path(), await open({ amount: '10.50', currency: 'AMD' }))
    expect(text).toContain('Amounts in AMD have no decimals.')
  })

  test.each([
    ['amount', { amount: '-1' }],
    ['amount in dram', { amount: '10.50', currency: 'AMD' }],
    ['currency', { currency: 'XAU' }],
    ['word', { word: '' }],
    ['card number', { word: 'for 4111 1111 1111 1111' }],
    ['used form', { once: '' }],
  ])('with a wrong %s is refused in words', async (_, wrong) => {
    const { status, text } = await cashier.post(path(), await open(wrong))
    expect([status, text.includes('role="alert"')]).toEqual([422, true])
  })
})
