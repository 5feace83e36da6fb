/** What a shop does with the clients, in each language, against a running service with its worker. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { setCallback } from '../receivers/receiver.ts'
import { payAtBank, sessionRequest } from '../testing/calls.ts'
import { CLIENT_LANGUAGES, type Client } from '../testing/clients/languages.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { type BankScene, setBankScene } from '../testing/providers/bank-scene.ts'
import { type FaultProxy, startFaultProxy } from '../testing/providers/fault-proxy.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { openKassa } from '../testing/scene.ts'

const PATIENCE_MS = 30_000
const AMOUNT_MINOR = 1_900

const kassa = await openKassa({ worker: true })

for (const language of CLIENT_LANGUAGES)
  describe(`a shop with the client for ${language.name}`, {
    tags: language.name === 'Node' ? [] : ['long'],
  }, () => {
    if (language.missing) {
      test.skip(`is not run, because this machine has no ${language.missing}`)
      return
    }
    let scene: BankScene
    let client: Client
    /** Everything that the client sends goes through it. */
    let proxy: FaultProxy
    let receiver: Receiver
    let orders = 0

    beforeAll(async () => {
      scene = await setBankScene(kassa)
      receiver = await startReceiver()
      await setCallback(kassa.ctx, scene.shop.merchantId, receiver.url)
      proxy = await startFaultProxy(kassa.url)
      client = language.start()
      await open()
    })
    afterEach(async () => {
      proxy.answerWith(null)
      await proxy.setAway(false)
    })
    afterAll(async () => {
      await client?.close()
      await proxy?.close()
      await receiver?.close()
    })

    const open = (settings: object = {}) =>
      client.call('openKassa', [], {
        url: proxy.url,
        token: scene.shop.token,
        pauseSeconds: 0.01,
        ...settings,
      })

    /** Returns the result of a call. */
    async function ask(name: string, args: unknown[] = [], options: object = {}) {
      const answer = await client.call(name, args, options)
      if ('refused' in answer) throw new Error(answer.refused)
      return answer.returned
    }
    const valueFrom = async (name: string, args: unknown[], options: object = {}) => {
      const result = await ask(name, args, options)
      expect(result).toMatchObject({ ok: true })
      return result.value
    }
    const errorFrom = async (name: string, args: unknown[], options: object = {}) => {
      const result = await ask(name, args, options)
      expect(result).toMatchObject({ ok: false })
      return result.error
    }

    /** Opens a payment for a new order. */
    async function create(changes: object = {}) {
      const merchantOrderId = `${language.name}-${++orders}`
      return valueFrom('createPayment', [sessionRequest({ merchantOrderId, ...changes })], {
        key: merchantOrderId,
      })
    }
    async function pay(changes: object = {}): Promise<string> {
      const { id, providerCheckoutUrl } = await create(changes)
      await payAtBank(providerCheckoutUrl, 'paid')
      return id
    }
    const statusOf = async (id: string) => (await valueFrom('lookUp', [id])).status
    const countPayments = async () => {
      const { rows } = await kassa.ctx.db.query(
        'select count(*)::int as n from sandbox.payments where merchant_id = $1',
        [scene.shop.merchantId],
      )
      return rows[0].n as number
    }
    const refundOf = (amountMinor: number) => ({ amountMinor, reason: 'returned' })

    test('creates once, is paid, and verifies the event', async () => {
      const request = sessionRequest({ merchantOrderId: 'first' })
      const key = await ask('keyOf', ['pay', 'first'])
      const made = await ask('createPayment', [request], { key })
      expect(made).toMatchObject({ ok: true, replayed: false, value: { merchantOrderId: 'first' } })
      const again = await ask('createPayment', [request], { key })
      expect(again).toMatchObject({ ok: true, replayed: true, value: { id: made.value.id } })
      await payAtBank(made.value.providerCheckoutUrl, 'paid')
      const find = () =>
        receiver.received.find(
          ({ event }) => event.payment.id === made.value.id && event.payment.status === 'paid',
        )
      await expectWithin(PATIENCE_MS, async () => find() !== undefined, true)
      const { body = '', headers = {} } = find() ?? {}
      const verify = (text: string, secrets: unknown) =>
        ask('verifyEvent', [Buffer.from(text).toString('base64'), headers], { secrets })
      const { webhookSecret } = scene.shop
      const verified = await verify(body, webhookSecret)
      expect(verified).toMatchObject({ ok: true, event: { payment: { id: made.value.id, status: 'paid' } } })
      expect(await verify(body, ['whsec_b3RoZXI=', webhookSecret])).toMatchObject({ ok: true })
      const wrong = { ok: false, error: { code: 'wrong_signature' } }
      expect(await verify(body.replace('paid', 'Paid'), webhookSecret)).toMatchObject(wrong)
      expect(await verify(body, 'whsec_b3RoZXI=')).toMatchObject(wrong)
      const { payment } = verified.event
      expect(await ask('actOf', [payment.status])).toBe('deliver')
      const session = { amountMinor: AMOUNT_MINOR, currency: 'USD', merchantOrderId: 'first' }
      expect(await ask('doubtOf', [payment, session])).toBe(null)
      expect(await statusOf(made.value.id)).toBe('paid')
    })

    test('signs an event that the checks of a receiver accept', async () => {
      const secrets = [scene.shop.webhookSecret]
      const signed = await ask('signEvent', [{ id: 'evt_1', payment: { id: 'pay_1' } }], { secrets })
      const args = [Buffer.from(signed.body).toString('base64'), signed.headers]
      expect(await ask('verifyEvent', args, { secrets })).toMatchObject({ ok: true, event: { id: 'evt_1' } })
    })

    test('creates a link, with an amount in major units', async () => {
      const amount = await ask('linkAmount', [await ask('toMinor', ['1900', 'AMD']), 'AMD'])
      const request = { amount, currency: 'AMD', description: 'Mountain tea' }
      const link = await valueFrom('createLink', [request], { key: 'link-1' })
      expect(link.payment).toMatchObject({ amountMinor: 190_000, currency: 'AMD' })
    })

    test('refunds in two parts, and a part that is sent again is the same part', async () => {
      const id = await pay()
      const first = await ask('refund', [id, refundOf(500)], { key: `${id}-1` })
      expect(first.value.operation).toMatchObject({ status: 'succeeded', amountMinor: 500 })
      const again = await ask('refund', [id, refundOf(500)], { key: `${id}-1` })
      expect(again).toMatchObject({ replayed: true, value: { operation: { id: first.value.operation.id } } })
      expect(await errorFrom('refund', [id, refundOf(600)], { key: `${id}-1` })).toMatchObject({
        code: 'idempotency_key_reused',
        status: 422,
        fields: { 'Idempotency-Key': expect.any(String) },
        retryable: false,
      })
      await valueFrom('refund', [id, refundOf(1_400)], { key: `${id}-2` })
      expect(await valueFrom('lookUp', [id])).toMatchObject({
        status: 'refunded',
        refundedMinor: AMOUNT_MINOR,
      })
      const { operation } = first.value
      expect(await valueFrom('lookUpOperation', [operation.id])).toMatchObject({
        id: operation.id,
        type: 'refund',
      })
      const over = await errorFrom('refund', [id, refundOf(1)], { key: `${id}-3` })
      expect(over).toMatchObject({ code: 'payment_not_eligible', status: 409 })
      expect(over.whatToDo).not.toBe('')
    })

    test('refunds nothing on top of a refund from outside that it does not know of', async () => {
      const id = await pay()
      expect(await scene.writeAtBank(id, 'refund', 300)).toBe('done')
      await scene.later(24 * 3_600_000)
      expect(await valueFrom('lookUp', [id])).toMatchObject({
        status: 'partially_refunded',
        refundedMinor: 300,
      })
      const seen = () =>
        receiver.received.filter(({ event }) => event.payment.id === id).map(({ event }) => event)
      await expectWithin(PATIENCE_MS, async () => seen().at(-1)?.payment.refundedMinor, 300)
      expect(seen().at(-1)?.data.operationId).toBe(undefined)
      const key = `${id}-1`
      const error = await errorFrom('refund', [id, refundOf(1_900)], { key, ifRefundedMinor: 0 })
      expect(error).toMatchObject({ status: 409, refundedMinor: 300, pendingRefundMinor: 0 })
      await valueFrom('refund', [id, refundOf(1_600)], { key, ifRefundedMinor: 300 })
      expect(await statusOf(id)).toBe('refunded')
    })

    test('captures a part of a held payment, and releases another', async () => {
      const captured = await pay({ provider: 'route_b' })
      expect(await statusOf(captured)).toBe('authorized')
      await valueFrom('capture', [captured, { amountMinor: 1_000 }], { key: `${captured}-1` })
      expect(await valueFrom('lookUp', [captured])).toMatchObject({ status: 'paid', capturedMinor: 1_000 })
      const whole = await pay({ provider: 'route_b' })
      await valueFrom('capture', [whole, null], { key: `${whole}-1` })
      expect(await valueFrom('lookUp', [whole])).toMatchObject({
        status: 'paid',
        capturedMinor: AMOUNT_MINOR,
      })
      const released = await pay({ provider: 'route_b' })
      await valueFrom('void', [released, { reason: 'sold out' }], { key: `${released}-1` })
      expect(await statusOf(released)).toBe('reversed')
    })

    test('cancels a payment that nobody has paid, and no other', async () => {
      const { id } = await create()
      const reason = { reason: 'the cart has changed' }
      expect(await valueFrom('cancel', [id, reason], { key: `${id}-c` })).toMatchObject({
        payment: { status: 'cancelled' },
      })
      expect(await ask('cancel', [id, reason], { key: `${id}-c` })).toMatchObject({
        ok: true,
        replayed: true,
      })
      const paid = await pay()
      const error = await errorFrom('cancel', [paid, reason], { key: `${paid}-c` })
      expect(error).toMatchObject({ code: 'payment_not_eligible', status: 409 })
    })

    test('learns of a sale whose buyer has closed the tab at the bank', async () => {
      const { id, providerCheckoutUrl } = await create()
      const { url } = await fetch(providerCheckoutUrl)
      const body = new URLSearchParams({ outcome: 'paid' })
      await fetch(url.split('?')[0] ?? '', { method: 'POST', body, redirect: 'manual' })
      await scene.aWhileLater()
      expect(await statusOf(id)).toBe('paid')
    })

    test.each(['lost', 'half', 'error_500', 'not_reached'] as const)(
      'sends what was answered by %s once more, with its key, and it is done once',
      async (fault) => {
        const before = await countPayments()
        const request = sessionRequest({ merchantOrderId: `${language.name}-${fault}` })
        proxy.spoilNext(fault)
        const made = await ask('createPayment', [request], { key: `create-${fault}` })
        expect(made).toMatchObject({ ok: true, replayed: fault !== 'not_reached' })
        expect(await countPayments()).toBe(before + 1)
        await payAtBank(made.value.providerCheckoutUrl, 'paid')
        proxy.spoilNext(fault)
        await valueFrom('refund', [made.value.id, refundOf(500)], { key: `refund-${fault}` })
        expect(await valueFrom('lookUp', [made.value.id])).toMatchObject({ refundedMinor: 500 })
      },
    )

    test('without a key sends nothing twice that moves something, and a look-up as often as it may', async () => {
      proxy.spoilNext('lost')
      const error = await errorFrom('createPayment', [
        sessionRequest({ merchantOrderId: `${language.name}-keyless` }),
      ])
      expect(error).toMatchObject({ code: 'no_answer', status: 0, retryable: true })
      const id = await pay()
      proxy.spoilNext('lost')
      expect(await statusOf(id)).toBe('paid')
    })

    test('sends the same key in each try, as often as it may, and says then what to do', async () => {
      const sent: (string | undefined)[][] = []
      const away = createServer((request, response) => {
        const { 'idempotency-key': key, prefer } = request.headers
        sent.push([String(key), String(prefer)])
        response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Away</h1>')
      })
      await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
      await open({ url: `http://127.0.0.1:${(away.address() as AddressInfo).port}`, tries: 4 })
      const error = await errorFrom('refund', ['pay_1', refundOf(100)], { key: 'refund-1' })
      expect(error).toMatchObject({ code: 'unexpected_answer', status: 503, retryable: true })
      expect(error.whatToDo).toContain('same key')
      expect(sent).toEqual(Array.from({ length: 4 }, () => ['refund-1', 'wait=3']))
      away.closeAllConnections()
      away.close()
      await open()
    })

    test('waits no longer than it may, and follows no redirect with its token', async () => {
      proxy.answerWith({ status: 429, headers: { 'retry-after': '86400' }, body: '{}' })
      expect(await errorFrom('lookUp', ['pay_1'])).toMatchObject({ status: 429, retryAfterSeconds: 86_400 })
      proxy.answerWith({ status: 302, headers: { location: `${kassa.url}/api/health` } })
      expect(await errorFrom('lookUp', ['pay_1'])).toMatchObject({ code: 'unexpected_answer', status: 302 })
      proxy.answerWith({ status: 200, body: '<h1>A page</h1>' })
      expect(await errorFrom('lookUp', ['pay_1'])).toMatchObject({ code: 'unexpected_answer', status: 200 })
      await proxy.setAway(true)
      // The first call may still find a kept connection that is about to end, and cannot know whether that took it.
      await errorFrom('lookUp', ['pay_1'])
      expect(await errorFrom('lookUp', ['pay_1'])).toMatchObject({ code: 'not_reached', status: 0 })
    })

    test('gets the errors of the service as values that say what to do', async () => {
      const unknown = await errorFrom('lookUp', ['pay_unknown'])
      expect(unknown).toMatchObject({ code: 'payment_not_found', status: 404, retryable: false })
      const wrong = await errorFrom('createPayment', [sessionRequest({ amountMinor: 'much' })], {
        key: 'wrong',
      })
      expect(wrong).toMatchObject({ code: 'validation_failed', fields: { amountMinor: expect.any(String) } })
      await open({ token: `${scene.shop.token}x` })
      const refused = await errorFrom('lookUp', ['pay_1'])
      expect(refused).toMatchObject({ code: 'invalid_token', status: 401, retryable: false })
      await open()
      for (const error of [unknown, wrong, refused])
        expect([error.message, error.whatToDo, error.requestId]).toEqual(
          Array(3).fill(expect.stringMatching(/./)),
        )
    })

    test('reads what the service can do', async () => {
      expect(await valueFrom('capabilities', [])).toMatchObject({
        currencyDigits: { AMD: 2, USD: 2, EUR: 2 },
      })
    })
  })
