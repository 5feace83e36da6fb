/** A potter with a telephone: from the first test mail to orders that are packed, and real money by a link alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, changeUser } from '../../access/users.ts'
import { setProduct } from '../../merchants/product.ts'
import { LINK_LIFE_MS } from '../../orders/link.ts'
import { notifyOwners, OWNER_MAILS_AN_HOUR } from '../../orders/news.ts'
import { workOnDue } from '../../orders/work.ts'
import { insertPasskey } from '../../storage/access/credentials.ts'
import { inTransaction } from '../../storage/db.ts'
import { storeOrderPayment } from '../../storage/orders/payments.ts'
import { askOperation, createSession, payAtBank, readPage, sessionRequest } from '../../testing/calls.ts'
import { expectWithin } from '../../testing/expect-within.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { liveOrder, planOrders } from '../../testing/kits/kit-orders.ts'
import {
  decodedHeader,
  headersOf,
  type MailServer,
  partsOf,
  startMailServer,
} from '../../testing/mail-server.ts'
import { operateHere } from '../../testing/operator.ts'
import { allowManual, LIVE_SETTINGS } from '../../testing/scene/live.ts'

const WITHIN_MS = 60_000
const HOUR_MS = 3_600_000

const runOn =
  (open: () => Kassa) =>
  async (...args: string[]) => {
    const { code, stdout } = await operateHere(async () => open().worlds, [...args, '--json'])
    return { code, ...JSON.parse(stdout) }
  }

describe('in the sandbox', () => {
  let server: MailServer
  let kassa: Kassa
  const logLines: string[] = []
  beforeAll(async () => {
    server = await startMailServer()
    const settings = { SMTP_URL: server.url, MAIL_FROM: 'orders@pay.example' }
    kassa = await startKassa({ worker: true, settings, logLines })
  })
  afterAll(async () => {
    await kassa.close()
    await server.close()
  })
  const run = runOn(() => kassa)

  /** A new shop that has the order book, and what has arrived for its owner. */
  async function openPotter(name: string) {
    const shop = await openShop(kassa.ctx)
    const of = ['--merchant', shop.merchantId]
    const owner = `${name}@shop.example`
    const mails = () => server.arrived.filter(({ to }) => to.includes(owner))
    await run('callback', 'set', ...of, '--order-book')
    await run('order', 'mails', ...of, '--email', owner, '--language', 'ru')
    return {
      shop,
      of,
      owner,
      mails,
      subjects: () => mails().map((each) => decodedHeader(headersOf(each).subject ?? '')),
      textOf: (index: number) => partsOf(mails()[index] as MailServer['arrived'][number]).text,
      arrived: (count: number) => expectWithin(WITHIN_MS, async () => mails().length, count),
      async sell(key: string, changes: object = {}): Promise<string> {
        const body = sessionRequest({ merchantOrderId: key, ...changes })
        const made = await createSession(kassa.url, shop, { key, body })
        await payAtBank(made.body.providerCheckoutUrl, 'paid')
        return made.body.id
      },
    }
  }
  const linkIn = (text: string) => /http:\S+\/o\/\S+/.exec(text)?.[0] ?? ''

  /** Sells a gift, returns a part of its money, and is paid for it again. Each is a mail. */
  async function sellGift({ shop, sell, arrived }: Awaited<ReturnType<typeof openPotter>>) {
    const sold = await sell('gift', {
      customer: { name: 'Ани', phone: '+374 10 000000' },
      metadata: { note: '<b>ring</b>' },
    })
    await arrived(1)
    const body = { amountMinor: 500, reason: 'a crack' }
    await askOperation(kassa.url, shop, sold, 'refunds', { key: 'r', body })
    await arrived(2)
    await sell('gift-2', { merchantOrderId: 'gift' })
    await arrived(3)
  }

  test('a callback URL or the order book is chosen, not both and not neither', async () => {
    const { of } = await openPotter('chooser')
    expect((await run('callback', 'set', ...of)).code).toBe(1)
    const both = ['--order-book', '--url', 'https://shop.example/x']
    expect((await run('callback', 'set', ...of, ...both)).code).toBe(1)
    expect(await run('callback', 'set', ...of, '--order-book')).toMatchObject({ code: 0 })
    expect(await run('callback', 'show', ...of)).toMatchObject({ callbackUrl: 'kassa:order-book' })
  })

  test('the test mail has a link, and a scanner that opens the link proves nothing', async () => {
    const { of, owner, sell, subjects, textOf, arrived } = await openPotter('tester')
    expect((await run('order', 'mails', ...of, '--email', 'nonsense')).code).toBe(1)
    expect(await run('callback', 'verify', ...of)).toMatchObject({
      accepted: true,
      mailedTo: owner,
      link: null,
    })
    await arrived(1)
    expect(subjects()[0]).toContain('Проверка')
    const page = await readPage(linkIn(textOf(0)))
    expect([page.status, /<button/.test(page.html)]).toEqual([200, false])
    await sell('first')
    await arrived(2)
    expect((await readPage(linkIn(textOf(0)))).html).toMatch(/<button/)
  })

  test('each sale, refund and case is one mail, with a link to a page of that order alone', async () => {
    const potter = await openPotter('seller')
    await sellGift(potter)
    const { subjects, textOf } = potter
    expect(subjects()[0]).toContain('Продано')
    expect(subjects()[1]).toContain('возвращено')
    expect(subjects()[2]).toContain('Решите')
    expect(textOf(2)).toContain('второй раз')
    const link = linkIn(textOf(0))
    const answer = await fetch(link)
    const html = await answer.text()
    expect(html).toContain('Ани')
    expect(html).toContain('&lt;b>ring')
    expect(html).not.toMatch(/<form|<script/)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(html).toContain('noindex')
    const { rows } = await kassa.ctx.db.query('select digest from sandbox.order_links')
    const secret = /\/o\/([\w-]+)/.exec(link)?.[1] ?? ''
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(logLines.filter((line) => line.includes(secret))).toEqual([])
  })

  test('a person packs what is paid, and what is not clear only on purpose', async () => {
    const potter = await openPotter('packer')
    const order = (...args: string[]) => run('order', ...args, ...potter.of)
    await sellGift(potter)
    await potter.sell('first')
    await potter.arrived(4)
    const { orders } = await order('list', '--way', 'new')
    expect(orders.length).toBe(2)
    expect(await order('move', '--order', 'first', '--to', 'packed')).toMatchObject({
      code: 0,
      way: 'packed',
    })
    expect((await order('move', '--order', 'gift', '--to', 'packed')).code).toBe(1)
    expect((await order('list', '--decide')).orders).toMatchObject([{ reference: 'gift' }])
    const note = ['--order', 'gift', '--text', 'second payment goes back']
    expect(await order('note', ...note, '--decided')).toMatchObject({ code: 0, question: null })
    expect((await order('note', ...note, '--decided')).code).toBe(1)
    const shown = await order('show', '--order', 'gift')
    expect(shown.order).toMatchObject({ state: 'part_returned', question: null })
    expect(shown.order.history.map(({ kind }: { kind: string }) => kind)).toEqual([
      'deliver',
      'note',
      'ask',
      'answered',
    ])
    const number = shown.order.number.replace(' ', '').toLowerCase()
    expect(await order('move', '--order', number, '--to', 'sent')).toMatchObject({ code: 0 })
    const { stdout } = await operateHere(async () => kassa.worlds, ['order', 'slip', '--order', number])
    expect(stdout).toContain('Ани')
    const { rows } = await kassa.ctx.db.query(
      "select about, who from kassa.audit_log where what = 'order move'",
    )
    expect(rows.length).toBe(2)
  })

  test('the number of mails an hour has a limit, and what is more is told together', async () => {
    const { shop, mails, subjects, textOf } = await openPotter('busy')
    const many = OWNER_MAILS_AN_HOUR + 5
    for (let at = 0; at < many; at++) await store(`many-${at}`, shop)
    // The worker may still be working on some. Whatever is not there yet would be told later, each in a mail of its own.
    while ((await workOnDue(kassa.ctx)) > 0);
    await expectWithin(WITHIN_MS, () => countNews('many-%'), many)
    await Promise.all([notifyOwners(kassa.ctx), notifyOwners(kassa.ctx)])
    // The worker runs too, and may have told of some before the last were stored. The limit then leaves these for the next hour.
    await expect
      .poll(async () => {
        if ((await countMailed()) < many) kassa.clock.advance(HOUR_MS)
        await notifyOwners(kassa.ctx)
        return countMailed()
      })
      .toBe(many)
    kassa.clock.advance(HOUR_MS)
    const { rows } = await kassa.ctx.db.query(
      "select notice from sandbox.mails where kind = 'order_news' and (notice ->> 'count')::int > 1",
    )
    expect(rows.length).toBeLessThanOrEqual(3)
    await expectWithin(WITHIN_MS, async () => subjects().some((each) => each.includes('Новости')), true)
    expect(mails().length).toBeLessThanOrEqual(2 * OWNER_MAILS_AN_HOUR)
    // This owner cannot sign in, so the mail has what to pack.
    expect(textOf(subjects().findIndex((each) => each.includes('Новости')))).toContain('Ани')
  })
  const nothingWaits = () =>
    expectWithin(
      WITHIN_MS,
      async () =>
        (await kassa.ctx.db.query("select count(*)::int as n from sandbox.mails where state = 'waiting'"))
          .rows[0].n,
      0,
    )
  async function countNews(references: string, isMailed = false): Promise<number> {
    const { rows } = await kassa.ctx.db.query(
      `select count(*)::int as n from sandbox.order_changes c join sandbox.orders o on o.id = c.order_id
       where o.reference like $1 and (c.mail_id is not null or not $2)`,
      [references, isMailed],
    )
    return rows[0].n
  }
  const countMailed = (references = 'many-%') => countNews(references, true)

  async function store(reference: string, of: Shop, hoursAgo = 0): Promise<void> {
    const now = kassa.clock.now()
    const eventAt = new Date(now.getTime() - hoursAgo * HOUR_MS)
    await storeOrderPayment(
      kassa.ctx.db,
      {
        merchantId: of.merchantId,
        paymentId: `pay_test_${reference}`,
        reference,
        sequence: 1,
        status: 'paid',
        amountMinor: 100,
        capturedMinor: 100,
        refundedMinor: 0,
        currency: 'USD',
        buyer: { customer: { name: 'Ани' } },
        takenBack: false,
        eventAt,
      },
      now,
    )
  }

  test('slips of a long list say that there are more, and where the rest begins', async () => {
    const { shop, of } = await openPotter('packer-of-many')
    const slip = (...args: string[]) => run('order', 'slip', ...args, ...of)
    for (let at = 0; at < 4; at++) await store(`slip-${at}`, shop)
    await workOnDue(kassa.ctx)
    await expectWithin(WITHIN_MS, () => countNews('slip-%'), 4)
    const numbers = ({ orders }: { orders: { number: string }[] }) => orders.map(({ number }) => number)
    const all = await slip()
    expect([all.orders.length, all.next]).toEqual([4, null])
    const first = await slip('--limit', '2')
    expect(first.next).toBe(all.orders[1].id)
    const rest = await slip('--after', first.next)
    expect([...numbers(first), ...numbers(rest)]).toEqual(numbers(all))
    const words = ['order', 'slip', '--merchant', shop.merchantId, '--limit']
    const { stdout } = await operateHere(async () => kassa.worlds, [...words, '2'])
    expect(stdout).toContain(`There are more orders to pack than these 2. Their slips: --after ${first.next}`)
    const whole = await operateHere(async () => kassa.worlds, [...words, String(all.orders.length)])
    expect(whole.stdout).not.toContain('There are more')
  })

  test('an owner who may sign in is led to the order in the console, and the test mail never is', {
    tags: ['long'],
  }, async () => {
    const { shop, of, owner, mails, textOf, sell, arrived } = await openPotter('signed-in')
    const mine = `http://localhost:3001/sandbox/shops/${shop.merchantId}/orders/`
    const own = await openShop(kassa.ctx)
    await addUser(kassa.ctx, { name: 'Ani', role: 'administrator', email: 'ani@pay.example' })
    const user = await addUser(kassa.ctx, {
      name: 'P',
      role: 'shop',
      email: owner,
      merchantId: own.merchantId,
    })
    const { id } = user.operator
    // Who has no passkey, or one of another address, could not come in.
    const passkeyAt = (host: string) =>
      inTransaction(kassa.ctx.db, (tx) =>
        insertPasskey(
          tx,
          { id: host, operatorId: id, publicKey: Buffer.from('x'), counter: 0, host, transports: [] },
          new Date(),
        ),
      )
    for (const [merchantId, host, isHere] of [
      [own.merchantId, null, false],
      [shop.merchantId, null, false],
      [shop.merchantId, 'desk.example', false],
      [shop.merchantId, 'localhost', true],
    ] as const) {
      await changeUser(kassa.ctx, id, { merchantId })
      // The mail that tells the person of the other shop is none of an order.
      await nothingWaits()
      const before = mails().length
      if (host !== null) await passkeyAt(host)
      await sell(`console-${merchantId === shop.merchantId}-${host}`)
      await arrived(before + 1)
      const text = textOf(before)
      expect([text.includes(mine), linkIn(text) !== '']).toEqual([isHere, !isHere])
    }
    await nothingWaits()
    const before = mails().length
    await run('callback', 'verify', ...of)
    await arrived(before + 1)
    expect(linkIn(textOf(before))).not.toBe('')
  })

  test('a sale whose event came days late is told, whatever is wrong with another shop', async () => {
    const { shop } = await openPotter('late')
    const { shop: broken, of, owner } = await openPotter('broken')
    await run('order', 'mails', ...of, '--email', owner, '--when', 'daily')
    await kassa.ctx.db.query(
      `update kassa.merchants set branding = branding || '{"timeZone": "Nowhere/Else"}' where id = $1`,
      [broken.merchantId],
    )
    await store('broken', broken)
    await store('late', shop, 96)
    while ((await workOnDue(kassa.ctx)) > 0);
    await notifyOwners(kassa.ctx)
    await expectWithin(WITHIN_MS, () => countMailed('late'), 1)
  })

  test('a link ends after 30 days', async () => {
    const { of } = await openPotter('printer')
    const { link } = await run('order', 'print', ...of, '--day', '2026-08-02')
    expect((await readPage(link)).status).toBe(200)
    kassa.clock.advance(LINK_LIFE_MS + 1_000)
    expect((await readPage(link)).status).toBe(404)
    expect((await readPage(`${link}x`)).status).toBe(404)
  })
})

describe('with real money', () => {
  let kassa: Kassa
  let merchantId: string
  beforeAll(async () => {
    const settings = { ...LIVE_SETTINGS, DEFAULT_PROVIDER: 'manual' }
    kassa = await startKassa({ settings, worker: true })
    const made = await run('merchant', 'create', '--name', 'Potter', '--sandbox')
    merchantId = made.merchantId
  })
  afterAll(() => kassa.close())
  const run = runOn(() => kassa)
  const of = () => ['--merchant', merchantId]
  const page = 'https://social.example/potter'
  const openSteps = async () => {
    const { steps } = await run('merchant', 'onboarding', ...of())
    return steps.filter(({ done }: { done: boolean }) => !done).map(({ step }: { step: string }) => step)
  }

  test('a shop with a link alone goes live once its page is reviewed, a test was paid and its owner has read of it', async () => {
    await run('callback', 'set', ...of(), '--order-book', '--sandbox')
    await run('callback', 'set', ...of(), '--order-book')
    expect((await run('installation', 'create', ...of(), '--page', page)).code).toBe(1)
    expect(await openSteps()).toEqual(['domain_reviewed', 'callback_verified', 'test_payment'])
    await run('origin', 'approve', ...of(), '--page', page)
    const { link, mailServer } = await run('callback', 'verify', ...of())
    expect(mailServer).toBe(false)
    const path = new URL(link).pathname
    const press = () =>
      fetch(`${kassa.url}${path}`, {
        method: 'POST',
        body: new URLSearchParams({ seen: 'yes' }),
        headers: { 'x-forwarded-proto': 'https' },
        redirect: 'manual',
      })
    // There is no test payment yet, so nobody can have seen it.
    expect((await press()).status).toBe(303)
    expect(await openSteps()).toEqual(['callback_verified', 'test_payment'])
    await payInSandbox()
    await expectWithin(WITHIN_MS, openSteps, ['callback_verified'])
    const html = await (
      await fetch(`${kassa.url}${path}`, { headers: { 'x-forwarded-proto': 'https' } })
    ).text()
    expect(html).toContain('$19.00')
    expect(await openSteps()).toEqual(['callback_verified'])
    expect((await press()).status).toBe(200)
    expect(await openSteps()).toEqual([])
    expect(await run('callback', 'verify', ...of())).toMatchObject({ accepted: true })
    expect(await openSteps()).toEqual([])
  })

  test('its public key serves only the pay page, and it gets no token', async () => {
    await allowManual(kassa, merchantId)
    const { installations } = await run('merchant', 'copy', ...of(), '--to', 'live')
    expect(installations).toMatchObject([{ origins: [] }])
    expect((await run('merchant', 'copy', ...of(), '--to', 'live')).installations).toEqual([])
    const { publicKey } = installations[0]
    const secure = { 'x-forwarded-proto': 'https' }
    const sold = await fetch(`${kassa.url}/pay/${publicKey}/cup`, { headers: secure })
    expect(sold.status).toBe(200)
    const click = await fetch(`${kassa.url}/api/widget/checkout`, {
      method: 'POST',
      headers: { ...secure, origin: 'https://social.example', 'content-type': 'application/json' },
      body: JSON.stringify({ publicKey, productId: 'cup', clientReference: 'c' }),
    })
    expect(click.status).toBe(403)
    const token = await run('token', 'issue', ...of(), '--live')
    expect(token).toMatchObject({ code: 1, error: { message: expect.stringContaining('reviewed domain') } })
    const other = await run('installation', 'create', ...of(), '--page', 'https://social.example/else')
    expect(other).toMatchObject({ code: 1, error: { message: expect.stringContaining('not reviewed') } })
  })

  test('another callback URL ends what was verified', async () => {
    await run('callback', 'set', ...of(), '--url', 'https://shop.example/callback')
    expect(await openSteps()).toEqual(['callback_verified'])
  })

  /** The bank of a service whose public address is another one cannot be visited here. */
  async function payInSandbox(): Promise<void> {
    await setProduct(kassa.ctx, {
      merchantId,
      id: 'cup',
      name: 'Cup',
      amountMinor: 1900,
      currency: 'USD',
      provider: null,
    })
    await run('installation', 'create', ...of(), '--page', page, '--sandbox')
    const [order] = planOrders(1)
    if (order) await liveOrder(kassa.ctx, merchantId, order)
  }
})
