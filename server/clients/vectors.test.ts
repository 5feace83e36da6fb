/**
 * What needs no service, by one file of cases for all languages: amounts, keys, statuses, errors, and events with wrong signatures.
 * `npm run test:long` runs the languages beside Node.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CURRENCIES } from '../contract/currencies.ts'
import { AMOUNT_MINOR_MAX } from '../contract/fields.ts'
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import { presentStatusMap } from '../payments/status-map.ts'
import { CLIENT_LANGUAGES, type Client, type ClientLanguage } from '../testing/clients/languages.ts'
import { CLIENT_TYPES_FILE, writeClientTypes } from '../testing/documents/client-types.ts'
import * as node from './node/kassa.mjs'

type Vector = { what: string; args: unknown[]; options?: object; returns?: unknown; refused?: true }
const REFUND = { amountMinor: 100, reason: 'returned' }
const VECTORS: Record<string, Vector[]> = JSON.parse(
  readFileSync(new URL('vectors.json', import.meta.url), 'utf8'),
)

/** The raw body of an event is handed over as bytes. One that is no text stands in the file as `{ base64 }`. */
function argsOf(name: string, [first, ...rest]: unknown[]): unknown[] {
  if (name !== 'verifyEvent') return [first, ...rest]
  const { base64 = Buffer.from(String(first)).toString('base64') } = Object(first)
  return [base64, ...rest]
}

for (const language of CLIENT_LANGUAGES)
  describe(`the client for ${language.name}`, { tags: language.name === 'Node' ? [] : ['long'] }, () =>
    testClient(language),
  )

function testClient(language: ClientLanguage): void {
  if (language.missing) {
    test.skip(`is not run, because this machine has no ${language.missing}`)
    return
  }
  let client: Client
  beforeAll(() => {
    client = language.start()
  })
  afterAll(() => client.close())

  test.each(Object.keys(VECTORS))('%s does what the vectors say', async (name) => {
    for (const { what, args, options, returns, refused } of VECTORS[name] ?? []) {
      const answer = await client.call(name, argsOf(name, args), options)
      const expected = refused ? { refused: expect.any(String) } : { returned: returns }
      expect({ what, ...answer }).toMatchObject({ what, ...expected })
    }
  })

  test('does nothing when it is loaded', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'kassa-load-'))
    const [command, ...args] = language.load
    const output = await promisify(execFile)(command, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
    })
    expect([output, await readdir(cwd)]).toEqual([{ stdout: '', stderr: '' }, []])
    await rm(cwd, { recursive: true })
  })

  test.each([
    ['https://pay.example', true],
    ['https://pay.example/', true],
    ['http://127.0.0.1:3000', true],
    ['http://localhost:3000', true],
    ['HTTPS://pay.example', true],
    ['https://pay.example\n', true],
    ['http://pay.example', false],
    ['http://127.0.0.1.example', false],
    ['https://pay.example/v1', false],
    ['https://user:secret@pay.example', false],
    ['https://pay.example?x=1', false],
    ['pay.example', false],
    ['', false],
  ])('takes the address %s: %s', async (url, isRight) => {
    const answer = await client.call('openKassa', [], { url, token: 'ksk_sandbox_x' })
    expect('returned' in answer).toBe(isRight)
  })

  test('says what an address is, and repeats no secret that was given in its place', async () => {
    const answerTo = (url: string) => client.call('openKassa', [], { url, token: 'ksk_sandbox_x' })
    expect(await answerTo('https://pay.example/v1')).toEqual({
      refused: expect.stringMatching(/without a path: not "https:\/\/pay\.example\/v1"/),
    })
    for (const url of ['ksk_sandbox_secret', 'https://me:secret@pay.example'])
      expect(await answerTo(url)).toEqual({ refused: expect.not.stringContaining('secret@') })
    expect(await answerTo('ksk_sandbox_secret')).toEqual({
      refused: expect.stringMatching(/without any secret\.$/),
    })
  })

  test('refuses a call without what it needs, before anything is sent', async () => {
    for (const token of ['', ' ', 'ksk_x ksk_y', 'ksk_x\r\nX-Other: 1']) {
      const answer = await client.call('openKassa', [], { url: 'https://pay.example', token })
      expect([token, answer]).toEqual([token, { refused: expect.any(String) }])
    }
    await client.call('openKassa', [], { url: 'https://pay.example', token: 'ksk_sandbox_x' })
    for (const [name, args, options] of [
      ['lookUp', [''], {}],
      ['lookUpOperation', [''], {}],
      ['refund', ['', REFUND], { key: 'r-1' }],
      ['refund', ['pay_1', REFUND], { key: '' }],
      ['refund', ['pay_1', REFUND], { key: 'x'.repeat(161) }],
      ['refund', ['pay_1', REFUND], { key: 'zeilen\numbruch' }],
      ['refund', ['pay_1', REFUND], { key: 'r-1', ifRefundedMinor: null }],
      ['refund', ['pay_1', REFUND], { key: 'r-1', ifRefundedMinor: '0' }],
      ['refund', ['pay_1', REFUND], { key: 'r-1', ifRefundedMinor: -1 }],
      ['createPayment', [{}], { key: 'ключ' }],
      ['createPayment', [{}], { key: null }],
      ['createPayment', [{ amountMinor: 19.99 }], { key: 'p-1' }],
    ] as const)
      expect([name, await client.call(name, [...args], options)]).toEqual([
        name,
        { refused: expect.any(String) },
      ])
  })

  test.runIf(language.byName)(
    'reads an error by name too, as code did that was written earlier',
    async () => {
      const [command, ...args] = language.byName ?? ['']
      const { stdout } = await promisify(execFile)(command, args)
      expect(stdout.trim()).toBe('no_signature no_signature')
    },
  )

  test('takes no event that is nested without end', async () => {
    const secrets = 'whsec_c2VjcmV0'
    const { body, headers } = node.signEvent('['.repeat(100_000), { secrets })
    const answer = await client.call('verifyEvent', argsOf('verifyEvent', [body, headers]), { secrets })
    expect(answer).toMatchObject({ returned: { ok: false, error: { code: 'not_an_event' } } })
  })

  test('takes only the fields that have a sentence', async () => {
    for (const [errors, fields] of [
      [{ amountMinor: 'too much', note: 5, reason: null }, ['amountMinor']],
      [['too much'], []],
      ['too much', []],
    ] as const) {
      const answer = await client.call('errorOf', [422, { errors }])
      expect('returned' in answer && Object.keys(answer.returned.fields)).toEqual(fields)
    }
  })

  test('gives an error for whatever a gateway answers in the place of Kassa', async () => {
    const answers = [
      [503, '{"error":{"code":503,"message":"away","status":"UNAVAILABLE"},"errors":["away"]}'],
      [200, '[1]'],
      [200, '"ok"'],
      [200, '{"id": NaN}'],
      [200, '\ufeff{"id":"opr_1"}'],
    ] as const
    let [status, text]: readonly [number, string] = answers[0]
    const gateway = createServer((_, response) => response.writeHead(status).end(text))
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    await client.call('openKassa', [], { url, token: 'ksk_sandbox_x', tries: 1 })
    for ([status, text] of answers)
      expect([text, await client.call('refund', ['pay_1', REFUND], { key: 'r-1' })]).toMatchObject([
        text,
        { returned: { ok: false, error: { code: 'unexpected_answer', status, retryable: true } } },
      ])
    gateway.closeAllConnections()
    gateway.close()
  })

  test('gives an error if the way out throws, and sends objects that are empty as objects', async () => {
    const settings = { url: 'https://pay.example', token: 'ksk_sandbox_x', tries: 1, wayOut: 'throws' }
    await client.call('openKassa', [], settings)
    expect(await client.call('refund', ['pay_1', REFUND], { key: 'r-1' })).toMatchObject({
      returned: { ok: false, error: { code: 'no_answer', status: 0, retryable: true } },
    })
    await client.call('openKassa', [], { ...settings, wayOut: 'echoes' })
    const request = { merchantOrderId: 'order-1', metadata: {}, customer: {} }
    const answer = await client.call('createPayment', [request])
    expect(answer).toMatchObject({ returned: { ok: true } })
    const value: unknown = 'returned' in answer && JSON.parse(answer.returned.value.sent)
    expect(value).toEqual(request)
  })

  test('knows the digits and the bounds of every currency of the contract', async () => {
    for (const [currency, { digits }] of Object.entries(CURRENCIES)) {
      const one = 10 ** digits
      expect(await client.call('toMinor', ['1', currency])).toEqual({ returned: one })
      const largest = String(AMOUNT_MINOR_MAX / one)
      expect(await client.call('toMinor', [largest, currency])).toEqual({ returned: AMOUNT_MINOR_MAX })
      expect(await client.call('toMinor', [`${largest}.01`, currency])).toHaveProperty('refused')
    }
  })

  test('does about each status what the service says of it', async () => {
    const acts = new Map<string, string>()
    for (const status of PAYMENT_STATUSES) {
      const answer = await client.call('actOf', [status])
      acts.set(status, 'returned' in answer ? answer.returned : '')
    }
    const of = (act: string) => [...acts].filter(([, each]) => each === act).map(([status]) => status)
    const { fulfilmentStatuses, accountingStatuses } = presentStatusMap()
    expect(of('deliver')).toEqual(fulfilmentStatuses)
    expect(of('take_back').toSorted()).toEqual(accountingStatuses.toSorted())
    expect(of('hold')).toEqual(['status_unknown'])
  })
}

test('the client for Node states the digits of the contract, and no other', () => {
  const digits = Object.entries(CURRENCIES).map(([currency, row]) => [currency, row.digits])
  expect(Object.entries(node.CURRENCY_DIGITS)).toEqual(digits)
  for (const [currency] of digits)
    for (const name of ['toMinor', 'toMajor', 'linkAmount'])
      expect(VECTORS[name]?.some(({ args, refused }) => args[1] === currency && !refused)).toBe(true)
})

test('the client for Node takes headers of every form, and refuses a body that was parsed already', () => {
  const secrets = 'whsec_c2VjcmV0'
  const { body, headers } = node.signEvent({ id: 'evt_1', payment: { id: 'pay_1' } }, { secrets })
  for (const each of [headers, new Headers(headers), new Map(Object.entries(headers))])
    expect(node.verifyEvent(Buffer.from(body), each, { secrets })).toMatchObject({ ok: true })
  const parsed: unknown = JSON.parse(body)
  expect(() => node.verifyEvent(parsed as string, headers, { secrets })).toThrow('was parsed already')
})

test('the types of the client for Node are those of the document (npm run generate -- client-types)', async () => {
  expect(readFileSync(CLIENT_TYPES_FILE, 'utf8')).toBe(await writeClientTypes())
})
