/** Mails to buyers, sent to a real mail server with its faults. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { setBranding } from '../merchants/branding.ts'
import { setCallback } from '../receivers/receiver.ts'
import { listMails, measureMails, sendMailAgain } from '../storage/mails/mails.ts'
import { askOperation } from '../testing/calls.ts'
import { decodedHeader, headersOf, partsOf, startMailServer } from '../testing/mail-server.ts'
import { openFiscalShop } from '../testing/payments/fiscal-shop.ts'
import { forgetCached } from '../testing/real-time.ts'
import { startReceiver } from '../testing/receiver.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { MAILS_AN_HOUR } from './mail-limits.ts'
import { LEASE_MS, type Mails, PAUSES_MS, startMails } from './mails.ts'
import { SWEEPS } from './sweeps.ts'
import { startWorker } from './worker.ts'

/** Short, but not so short that a busy machine meets them. */
const QUICK = { connectMs: 1_500, greetMs: 1_500, silenceMs: 1_500, wholeMs: 6_000 }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let shop: Awaited<ReturnType<typeof openFiscalShop>>
let mails: Mails
const server = closeAfter(await startMailServer())
const kassa = await openKassa({ settings: { SMTP_URL: server.url, MAIL_FROM: 'receipts@pay.example' } })
beforeAll(async () => {
  shop = await openFiscalShop(kassa)
})
beforeEach(() => {
  mails = startMails(kassa.ctx, QUICK)
  server.arrived.length = 0
  // So that no test meets the limit of mails an hour because of the tests before it.
  kassa.clock.advance(HOUR_MS)
})
afterEach(async () => {
  await mails.stop()
  server.faults.length = 0
})

async function run(): Promise<void> {
  await mails.turn()
  await mails.settle()
}
const pay = (customer: object = { email: 'ani@example.com' }) => shop.pay('route_a', { customer })
const stored = async (paymentId: string) => listMails(kassa.ctx.db, { paymentId, limit: 9 })
/** Pays, and prints the fiscal receipt. */
async function paid(): Promise<string> {
  const id = await pay()
  await shop.print()
  return id
}

test('a buyer whose address is known gets one receipt, with the numbers of the cash register', async () => {
  await setBranding(kassa.ctx, shop.shop.merchantId, {
    email: 'help@shop.example',
    phone: '+374 10 123456',
    taxNumber: '01234567',
    logo: { id: 'a'.repeat(40), width: 512, height: 200, ground: 'dark' },
  })
  forgetCached()
  const id = await pay()
  await run()
  expect(server.arrived).toEqual([])
  await shop.print()
  kassa.clock.advance(20_000)
  await run()
  await run()
  const [letter, ...more] = server.arrived
  if (!letter) throw new Error('no mail arrived')
  expect([more, letter.from, letter.to]).toEqual([[], 'receipts@pay.example', ['ani@example.com']])
  const [mail] = await stored(id)
  const headers = headersOf(letter)
  expect(headers).toMatchObject({
    'message-id': `<${mail?.id}@pay.example>`,
    from: 'Test shop <receipts@pay.example>',
    to: 'ani@example.com',
    'reply-to': 'help@shop.example',
    'auto-submitted': 'auto-generated',
  })
  expect(decodedHeader(headers.subject)).toBe('[Test mode] You paid $19.00 to Test shop')
  const [receipt] = await shop.receipts(id)
  const { text, html } = partsOf(letter)
  for (const part of [
    '$19.00',
    id,
    receipt?.number ?? '?',
    '01234567',
    'help@shop.example',
    `/checkout/${id}/receipt?locale=`,
    'No real money moves',
  ]) {
    expect(text).toContain(part)
    expect(html).toContain(part)
  }
  // The name is text below the logo, so the mail is whole where no pictures are loaded.
  expect(html).toMatch(
    /<img src="http[^"]+\/pictures\/a{40}\.png" alt(?:="")? width="160" height="63"[^>]*><\/div>\s*<p[^>]*>Test shop<\/p>/,
  )
  expect(mail).toMatchObject({ kind: 'paid', state: 'sent', attempts: 1, failure: null })
})

test('a refund is told once, with its amount and its fiscal receipt', async () => {
  const id = await paid()
  await run()
  await shop.refund(id, 500)
  await shop.print()
  await run()
  await run()
  expect(server.arrived.map((each) => decodedHeader(headersOf(each).subject))).toEqual([
    '[Test mode] You paid $19.00 to Test shop',
    '[Test mode] Test shop returned $5.00 to you',
  ])
  const numbers = (await shop.receipts(id)).map(({ number }) => number ?? '?')
  for (const number of numbers) expect(partsOf(server.arrived[1] ?? { raw: '' }).text).toContain(number)
})

test.each([
  ['hy', 'Դուք վճարել եք', 'Վճարման համար'],
  ['ru', 'Вы заплатили', 'Номер платежа'],
] as const)('the mail speaks %s, if the buyer did', async (locale, subject, label) => {
  const id = await pay()
  await kassa.ctx.db.query('update sandbox.payments set locale = $2 where id = $1', [id, locale])
  await shop.print()
  await run()
  const [letter] = server.arrived
  if (!letter) throw new Error('no mail arrived')
  expect(decodedHeader(headersOf(letter).subject)).toContain(subject)
  expect(partsOf(letter).text).toContain(label)
  expect(partsOf(letter).html).toContain(`<html lang="${locale}">`)
})

test('nobody gets a mail whose address is not known, or was erased since', async () => {
  const nameless = await pay({ name: 'Ani' })
  const erased = await paid()
  await kassa.ctx.db.query('update sandbox.payments set customer = null where id = $1', [erased])
  await shop.print()
  await run()
  expect([server.arrived, await stored(nameless)]).toEqual([[], []])
  expect(await stored(erased)).toMatchObject([
    { state: 'failed', failure: "The buyer's address is no longer stored." },
  ])
})

const subjects = () => server.arrived.map((each) => decodedHeader(headersOf(each).subject))

test('a capture of a part is told with what was taken, and a void with what went back', async () => {
  const customer = { email: 'ani@example.com' }
  const [captured, voided] = [await shop.pay('route_b', { customer }), await pay(customer)]
  const ask = (id: string, what: 'capture' | 'void', body: object) =>
    askOperation(kassa.url, shop.shop, id, what, { key: shop.newKey(), body })
  await ask(captured, 'capture', { amountMinor: 1200 })
  await shop.print()
  await run()
  await ask(voided, 'void', { reason: 'changed mind' })
  await SWEEPS.moneyOperations(kassa.ctx)
  await shop.print()
  await run()
  expect(subjects().sort()).toEqual([
    '[Test mode] Test shop returned $19.00 to you',
    '[Test mode] You paid $12.00 to Test shop',
    '[Test mode] You paid $19.00 to Test shop',
  ])
  const textOf = (subject: string) =>
    partsOf(server.arrived[subjects().findIndex((each) => each?.includes(subject))] ?? { raw: '' }).text
  expect(textOf('$12.00')).toContain('Amount paid: $12.00')
  expect(textOf('returned')).toContain('Returned: $19.00')
  expect(textOf('returned')).not.toContain('$0.00')
})

const CORRECTED = [
  ['hy', 'վերադարձը ձեզ չի հասել', 'մնացել է խանութում'],
  ['ru', 'не дошёл до вас', 'остались у магазина'],
  ['en', 'did not reach you', 'the shop still has this money'],
] as const
for (const [locale, subject, text] of CORRECTED)
  test(`a refund that failed after all is corrected in ${locale}, and a new one is told again`, {
    tags: locale === 'en' ? [] : ['long'],
  }, async () => {
    const metadata = { sandboxFault: 'refund_fails_after_success' }
    const email = `${locale}@example.com`
    const id = await shop.pay('route_a', { customer: { email }, metadata })
    await kassa.ctx.db.query('update sandbox.payments set locale = $2 where id = $1', [id, locale])
    await shop.print()
    await run()
    await shop.refund(id, 500)
    await shop.print()
    await run()
    kassa.clock.advance(25_000)
    await SWEEPS.bankCallbacks(kassa.ctx)
    expect((await shop.stored(id)).refundedMinor).toBe(0)
    await run()
    await run()
    const [, , correction, ...more] = server.arrived.filter(({ to }) => to.includes(email))
    if (!correction) throw new Error('no correction arrived')
    expect(more).toEqual([])
    expect(decodedHeader(headersOf(correction).subject)).toContain(subject)
    expect(decodedHeader(headersOf(correction).subject)).toMatch(/5[.,]00/)
    expect(partsOf(correction).text).toContain(text)
    await shop.refund(id, 500)
    await shop.print()
    await run()
    expect((await stored(id)).map(({ kind, amountMinor }) => [kind, amountMinor]).reverse()).toEqual([
      ['paid', 1900],
      ['refunded', 500],
      ['refund_failed', 500],
      ['refunded', 500],
    ])
  })

test('a mail does not wait for a cash register that stays broken', async () => {
  const id = await pay()
  await run()
  expect(server.arrived).toEqual([])
  kassa.clock.advance(11 * 60_000)
  await run()
  expect(server.arrived).toHaveLength(1)
  expect(await stored(id)).toMatchObject([{ state: 'sent', attempts: 1 }])
  await shop.print()
})

test('what a merchant has written into the name stays in its header', async () => {
  const name = 'Shop\r\nBcc: eve@evil.example\r\n\r\n<b>Hello</b>'
  await kassa.ctx.db.query(
    `update kassa.merchants set branding = branding || jsonb_build_object('name', $2::text) where id = $1`,
    [shop.shop.merchantId, name],
  )
  forgetCached()
  await paid()
  await run()
  await setBranding(kassa.ctx, shop.shop.merchantId, {}, ['name'])
  forgetCached()
  const [letter] = server.arrived
  if (!letter) throw new Error('no mail arrived')
  expect(letter.to).toEqual(['ani@example.com'])
  expect(Object.keys(headersOf(letter)).sort()).toEqual(
    [
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'reply-to',
      'subject',
      'to',
    ].sort(),
  )
  expect(partsOf(letter).html).not.toContain('<b>Hello')
})

describe('a mail server', () => {
  test.each([
    ['greet_never', /did not reply in time/],
    ['busy', /asked to try again later \(RCPT TO\).*greylisted/],
  ] as const)('that fails (%s) gets the mail once, after a pause', async (fault, why) => {
    server.faults.push(fault)
    const id = await paid()
    await run()
    expect(server.arrived).toEqual([])
    const [waiting] = await stored(id)
    expect(waiting).toMatchObject({ state: 'waiting', attempts: 1, failure: expect.stringMatching(why) })
    expect(waiting?.failure).not.toContain('ani@example.com')
    await run()
    expect(server.arrived).toEqual([])
    // On a busy machine the mail server may not reply in time once more.
    await expect
      .poll(async () => {
        kassa.clock.advance(70_000)
        await run()
        return [server.arrived.length, (await stored(id))[0]?.state]
      })
      .toEqual([1, 'sent'])
  })

  test.each(['hang_after_data', 'die_after_data'] as const)(
    'that keeps a message and does not say so (%s) gets it again under the same Message-ID',
    async (fault) => {
      server.faults.push(fault)
      const id = await paid()
      await run()
      kassa.clock.advance(70_000)
      await run()
      const ids = server.arrived.map((each) => headersOf(each)['message-id'])
      expect(ids).toHaveLength(2)
      expect(new Set(ids)).toEqual(new Set([`<${(await stored(id))[0]?.id}@pay.example>`]))
    },
  )

  test('that refuses the address for good is not asked again, and nothing repeats the address', async () => {
    server.faults.push('unknown')
    const id = await paid()
    await run()
    const [mail] = await stored(id)
    expect(mail).toMatchObject({
      state: 'failed',
      failure: 'The mail server rejected the address permanently. Its reply: 550 (address): no such user',
    })
    kassa.clock.advance(DAY_MS)
    await run()
    expect(server.arrived).toEqual([])
    expect(await measureMails(kassa.ctx.db)).toMatchObject({ failed: expect.any(Number), waiting: 0 })
  })

  test('that is away for days gets no mail after the last attempt', async () => {
    const id = await paid()
    const { smtpServer } = kassa.ctx.config
    kassa.ctx.config.smtpServer = { host: '127.0.0.1', port: 1, isEncrypted: false, isLoopback: true }
    for (let attempt = 0; attempt <= PAUSES_MS.length; attempt++) {
      await run()
      kassa.clock.advance(DAY_MS)
    }
    kassa.ctx.config.smtpServer = smtpServer
    expect(await stored(id)).toMatchObject([
      {
        state: 'failed',
        attempts: PAUSES_MS.length + 1,
        failure: expect.stringContaining('127.0.0.1:1 could not be reached'),
      },
    ])
    await run()
    expect(server.arrived).toEqual([])
  })
})

describe('two workers', () => {
  test('send each mail once', async () => {
    const ids = [await pay(), await pay(), await pay()]
    await shop.print()
    const other = startMails(kassa.ctx, QUICK)
    await Promise.all([mails.turn(), other.turn(), mails.turn(), other.turn()])
    await Promise.all([mails.settle(), other.settle()])
    const sent = server.arrived.map((each) => headersOf(each)['message-id'])
    expect([sent.length, new Set(sent).size]).toEqual([ids.length, ids.length])
  })

  test('a mail whose worker died is sent again when its lease ends, and the dead one’s note is not written', async () => {
    server.faults.push('hang_after_data')
    const patient = startMails(kassa.ctx, { ...QUICK, silenceMs: 60_000, wholeMs: 60_000 })
    const id = await paid()
    await patient.turn()
    await expect.poll(() => server.arrived.length).toBe(1)
    await run()
    expect(server.arrived).toHaveLength(1)
    kassa.clock.advance(LEASE_MS + 1_000)
    await run()
    await patient.stop()
    expect(server.arrived).toHaveLength(2)
    expect(await stored(id)).toMatchObject([{ state: 'sent', attempts: 2 }])
  })

  test('a worker that is stopped before the server has seen the mail lets go of it at once', async () => {
    server.faults.push('greet_never')
    const leaving = startMails(kassa.ctx, { ...QUICK, greetMs: 60_000, connectMs: 60_000, wholeMs: 60_000 })
    const id = await paid()
    const before = server.connections()
    await leaving.turn()
    await expect.poll(() => server.connections()).toBe(before + 1)
    await leaving.stop()
    await run()
    expect([server.arrived.length, (await stored(id))[0]?.attempts]).toEqual([1, 1])
  })
})

describe('within an hour', () => {
  const { toAddress, ofMerchant } = MAILS_AN_HOUR.sandbox

  test('an address gets a limited number of mails, however it is written and however many workers send', async () => {
    const spellings = ['eve@example.com', 'EVE@example.com', 'eve+tea@example.com', 'e.v.e@example.com']
    spellings.push('"eve"@example.com', String.raw`"e\ve"@example.com`)
    const ids: string[] = []
    for (let each = 0; each < toAddress + 2; each++)
      ids.push(await pay({ email: spellings[each % spellings.length] }))
    const other = await paid()
    const more = [mails, startMails(kassa.ctx, QUICK), startMails(kassa.ctx, QUICK)]
    for (let turn = 0; turn < 2; turn++) {
      await Promise.all(more.map((each) => each.turn()))
      await Promise.all(more.map((each) => each.settle()))
    }
    const sent = server.arrived.flatMap(({ to }) => to)
    expect(sent.filter((to) => to !== 'ani@example.com')).toHaveLength(toAddress)
    expect(sent).toContain('ani@example.com')
    expect(await stored(other)).toMatchObject([{ state: 'sent' }])
    const withheld = (await Promise.all(ids.map(stored))).flat().filter(({ state }) => state === 'withheld')
    expect(withheld).toHaveLength(2)
    expect(withheld[0]).toMatchObject({
      attempts: 0,
      failure: expect.stringMatching(/had 5 mails within the hour/),
    })
    // No address. A random id may contain the name itself.
    expect(JSON.stringify(withheld)).not.toContain('@')
    const page = await fetch(`${kassa.url}/checkout/${withheld[0]?.paymentId}/receipt`)
    expect(page.status).toBe(200)

    kassa.clock.advance(HOUR_MS)
    await sendMailAgain(kassa.ctx.db, withheld[0]?.id ?? '', kassa.clock.now())
    await run()
    expect(await stored(withheld[0]?.paymentId ?? '')).toMatchObject([{ state: 'sent', attempts: 1 }])
  })

  test('the payments of a merchant in the sandbox cause a limited number of mails', async () => {
    const id = await paid()
    await kassa.ctx.db.query(
      `insert into sandbox.mails (merchant_id, id, payment_id, recipient_hash, kind, amount_minor, refunded_minor, state, created_at, ended_at)
       select merchant_id, 'mal_0' || n, payment_id, n, 'refunded', 1, n, 'sent', created_at, created_at
       from sandbox.mails, generate_series(1, $2::int) n where payment_id = $1`,
      [id, ofMerchant],
    )
    await run()
    expect((await stored(id)).find(({ kind }) => kind === 'paid')).toMatchObject({
      state: 'withheld',
      failure: expect.stringMatching(/of this merchant caused 100 mails/),
    })
    expect(server.arrived).toEqual([])
  })
})

test('a worker whose mail server hangs delivers events meanwhile, and stops at once', async () => {
  server.faults.push('greet_never', 'greet_never', 'greet_never', 'greet_never')
  const before = server.connections()
  for (let each = 0; each < 5; each++) await paid()
  const receiver = await startReceiver()
  await setCallback(kassa.ctx, shop.shop.merchantId, receiver.url)
  const worker = await startWorker(kassa.ctx)
  await expect.poll(() => server.connections()).toBe(before + 4)
  const id = await pay()
  await expect.poll(() => receiver.received.some(({ body }) => body.includes(id))).toBe(true)
  // There are four places for mail. The fifth mail waits, and nothing else does.
  expect(server.connections()).toBe(before + 4)
  await worker.stop()
  await receiver.close()
})
