/** Callbacks with a checksum, by GET and by POST, with a shared key and with the bank's own. */
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { arrivalOf, settingsOf } from '../../testing/providers/rbs/bench.ts'
import { type CallbackSetup, withChecksum } from '../../testing/providers/rbs/callbacks.ts'
import type { RawInbound } from '../driver.ts'
import { inbound, signedText } from './callbacks.ts'
import type { RbsCall } from './request.ts'
import { RbsSettings } from './settings.ts'

const KEY = 'local-test-callback-key'
const FIELDS = { mdOrder: '11111111-2222-3333-4444-555555555555', operation: 'approved', status: '0' }
const URL_OF = 'https://kassa.example/callbacks/acc_test_suite'
const own = settingsOf({ shop: { kind: 'other' } }, { address: 'https://gateway.example/payment/rest/' })

const receive = (raw: RawInbound, changes: Partial<RbsSettings> = { CALLBACK_KEY: KEY }) =>
  inbound.receive({ settings: { ...own, ...changes } } as RbsCall, raw)
const byGet = (query: Record<string, string>): RawInbound => ({
  method: 'GET',
  path: '/callbacks/x',
  headers: {},
  body: Buffer.alloc(0),
  query,
})

// Vectors that were computed elsewhere.
const VECTORS = [
  {
    fields: { ...FIELDS, amount: '1000000', operation: 'deposited', orderNumber: 'PG-000123', status: '1' },
    text: 'amount;1000000;mdOrder;11111111-2222-3333-4444-555555555555;operation;deposited;orderNumber;PG-000123;status;1;',
    checksum: 'E577D9603D0C4DC6723A8F0EB6599A96EB4F39DD65FD89FA92E3298713287DF9',
  },
  {
    fields: { ...FIELDS, orderNumber: 'PG-000124' },
    text: 'mdOrder;11111111-2222-3333-4444-555555555555;operation;approved;orderNumber;PG-000124;status;0;',
    checksum: '62DA536E632F6F6587DFC327BE1253EAAB91EF2A9751A3E4EB218C9853144515',
  },
]

test.each(VECTORS)('a callback by GET with the checksum $checksum', async ({ fields, text, checksum }) => {
  expect(signedText(fields)).toBe(text)
  const hint = { kind: 'hint', reference: fields.orderNumber, state: { id: fields.mdOrder } }
  expect(await receive(byGet({ ...fields, checksum }))).toEqual(hint)
  expect(await receive(byGet({ ...fields, checksum: checksum.toLowerCase(), sign_alias: 'any' }))).toEqual(
    hint,
  )
  for (const changed of [{ status: '1', amount: '1' }, { orderNumber: 'PG-000999' }, { extra: '' }])
    expect(await receive(byGet({ ...fields, ...changed, checksum }))).toMatchObject({ kind: 'rejected' })
  for (const wrong of ['', 'E577', 'zz', checksum.slice(2)])
    expect(await receive(byGet({ ...fields, checksum: wrong }))).toMatchObject({ kind: 'rejected' })
})

test('the same fields by POST, with letters beyond ASCII', async () => {
  const setup: CallbackSetup = { url: URL_OF, method: 'POST', key: KEY }
  const fields = withChecksum(setup, { ...FIELDS, orderNumber: 'kassa1', orderDescription: 'Թեյ & чай; 50%' })
  const raw = arrivalOf({ method: 'POST', url: URL_OF, fields })
  expect(await receive(raw)).toMatchObject({ kind: 'hint', reference: 'kassa1' })
  const twice = Buffer.concat([raw.body, Buffer.from('&status=0')])
  expect(await receive({ ...raw, body: twice })).toMatchObject({ kind: 'rejected' })
})

test('a checksum by the key of the bank (RSA), and by nobody else’s', async () => {
  const [bank, other] = [0, 1].map(() =>
    generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
  )
  const changes = { CALLBACK_KEY: undefined, CALLBACK_CERTIFICATE: bank?.publicKey.replaceAll('\n', '\\n') }
  for (const method of ['GET', 'POST'] as const) {
    const signedBy = (privateKey = '') =>
      arrivalOf({
        method,
        url: URL_OF,
        fields: withChecksum({ url: URL_OF, method, privateKey }, { ...FIELDS, orderNumber: 'kassa1' }),
      })
    expect(await receive(signedBy(bank?.privateKey), changes)).toMatchObject({ kind: 'hint' })
    expect(await receive(signedBy(other?.privateKey), changes)).toMatchObject({ kind: 'rejected' })
  }
})

test('without a key every callback is rejected', async () => {
  const [{ fields, checksum }] = VECTORS as [(typeof VECTORS)[0]]
  expect(await receive(byGet({ ...fields, checksum }), { CALLBACK_KEY: undefined })).toMatchObject({
    kind: 'rejected',
  })
})

test('at ArCa no key can be set', () => {
  const arca = { ...own, GATEWAY: 'arca', WITHDRAW: 'disabled' }
  const { error } = RbsSettings.safeParse(arca)
  expect(error?.issues.map(({ path }) => path)).toEqual([['CALLBACK_KEY']])
})
