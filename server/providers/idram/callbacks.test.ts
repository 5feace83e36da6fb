/** What the driver makes of the messages of Idram: known checksums, amounts at their bounds, and forms that could be read in two ways. */
import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../testing/providers/idram/wallet.ts'
import type { RawInbound } from '../driver.ts'
import { amountText, minorOf } from './amount.ts'
import { checksumOf, NOT_KEPT, receive, reply } from './callbacks.ts'
import { IdramSettings } from './settings.ts'

const SECRET = 'local-test-secret'
const settings = IdramSettings.parse({ REC_ACCOUNT: '100000000', SECRET_KEY: SECRET })
/** The vector of the reference: the checksum was computed apart from this driver. */
const CONFIRMATION = {
  EDP_BILL_NO: 'PG-000123',
  EDP_REC_ACCOUNT: '100000000',
  EDP_PAYER_ACCOUNT: '200000001',
  EDP_AMOUNT: '1900.00',
  EDP_TRANS_ID: '12345678901234',
  EDP_TRANS_DATE: '31/12/2026',
  EDP_CHECKSUM: 'bce3137f5660117c355e542de82e1f6f',
}
const PRECHECK = {
  EDP_PRECHECK: 'YES',
  EDP_BILL_NO: 'PG-000123',
  EDP_REC_ACCOUNT: '100000000',
  EDP_AMOUNT: '1900.00',
}

function raw(body: string, changes: Partial<RawInbound> = {}): RawInbound {
  return { method: 'POST', path: '/x', query: {}, headers: {}, body: Buffer.from(body), ...changes }
}
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const heard = (fields: Record<string, string>) => receive(settings, raw(form(fields)))
const signed = (changes: Record<string, string>) => {
  const fields = { ...CONFIRMATION, ...changes }
  return { ...fields, EDP_CHECKSUM: checksumOf(SECRET, fields) }
}

describe('a confirmation', () => {
  test('with the known checksum proves the payment, in capitals too', () => {
    const proof = {
      kind: 'proof',
      reference: 'PG-000123',
      snapshot: {
        order: 'completed',
        reference: 'PG-000123',
        amountMinor: 190_000,
        currency: 'AMD',
        authorizedMinor: 190_000,
        capturedMinor: 190_000,
        refundedMinor: 0,
        providerTransactionId: '12345678901234',
        instrument: { kind: 'wallet' },
      },
    }
    expect(heard(CONFIRMATION)).toEqual(proof)
    const { EDP_CHECKSUM: checksum } = CONFIRMATION
    expect(heard({ ...CONFIRMATION, EDP_CHECKSUM: checksum.toUpperCase() })).toEqual(proof)
  })

  test('has a checksum over the amount as it was received', () => {
    for (const amount of ['1900', '1900.0', '1900.00']) {
      expect(heard({ ...signed({ EDP_AMOUNT: amount }) })).toMatchObject({
        snapshot: { amountMinor: 190_000 },
      })
      if (amount !== CONFIRMATION.EDP_AMOUNT)
        expect(heard({ ...CONFIRMATION, EDP_AMOUNT: amount }).kind).toBe('rejected')
    }
  })

  test.each(Object.keys(CONFIRMATION))('with another %s, or without it, proves nothing', (name) => {
    const { [name]: value = '', ...rest } = CONFIRMATION as Record<string, string>
    const other = value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
    for (const changed of [rest, { ...rest, [name]: other }, { ...rest, [name]: '' }])
      expect([changed, heard(changed).kind]).toEqual([changed, 'rejected'])
  })

  test('of a checksum with characters of two bytes is rejected, and does not end the process', () => {
    expect(heard({ ...CONFIRMATION, EDP_CHECKSUM: 'é'.repeat(32) }).kind).toBe('rejected')
  })

  test('names its transaction without the spaces of a padded field', () => {
    expect(heard(signed({ EDP_TRANS_ID: '123           ' }))).toMatchObject({
      snapshot: { providerTransactionId: '123' },
    })
    expect(heard(signed({ EDP_TRANS_ID: ' '.repeat(14) })).kind).toBe('rejected')
  })
})

describe('a pre-check', () => {
  test('names the bill and its amount, and needs no checksum', () => {
    const precheck = { kind: 'precheck', reference: 'PG-000123', amountMinor: 190_000, currency: 'AMD' }
    expect(heard(PRECHECK)).toEqual(precheck)
    expect(receive(settings, raw('', { query: PRECHECK }))).toEqual(precheck)
  })

  test('of another account, of no amount or of no bill is rejected', () => {
    for (const changes of [
      { EDP_REC_ACCOUNT: '100000001' },
      { EDP_REC_ACCOUNT: '' },
      { EDP_AMOUNT: '' },
      { EDP_BILL_NO: '' },
      { EDP_PRECHECK: 'NO' },
    ])
      expect([changes, heard({ ...PRECHECK, ...changes }).kind]).toEqual([changes, 'rejected'])
  })

  test('that names a field twice is rejected, whichever of them is right', () => {
    for (const name of ['EDP_AMOUNT', 'EDP_BILL_NO', 'EDP_PRECHECK'])
      expect(receive(settings, raw(`${form(PRECHECK)}&${name}=1900.00`)).kind).toBe('rejected')
  })

  test('is read whatever the encoding of texts beside it', () => {
    for (const text of ['&note=%D7%E0%E9', '&note=%D0%A7', '&note=\u00d7\u00e0', '&note=%', '&note=a&note=b'])
      expect(receive(settings, raw(`${form(PRECHECK)}${text}`)).kind).toBe('precheck')
  })
})

describe('an amount', () => {
  test.each([
    [1, '0.01'],
    [99, '0.99'],
    [100, '1.00'],
    [190_000, '1900.00'],
    [10 ** 12 - 1, '9999999999.99'],
    [10 ** 12, '10000000000.00'],
  ])('of %i luma is %s, and the same again', (minor, text) => {
    expect([amountText(minor), minorOf(text)]).toEqual([text, minor])
  })

  test('with one decimal has tenths: 1900.5 is 190,050 luma', () => {
    expect(minorOf('1900.5')).toBe(190_050)
  })

  test.each([
    '',
    '-1',
    '+1',
    '1,00',
    '1.000',
    '1e3',
    '0x10',
    '.5',
    '5.',
    ' 5',
    '1 900.00',
    '1900.00 AMD',
    'NaN',
    '9'.repeat(14),
  ])('%j is none', (text) => {
    expect(minorOf(text)).toBeNull()
  })
})

describe('a reply', () => {
  const proof = heard(CONFIRMATION)
  test('is exactly OK for what is accepted, and gives the money back for what is certainly not stored', () => {
    expect(reply(proof, 'accepted')).toEqual({ status: 200, body: 'OK' })
    for (const verdict of ['refused', 'not_stored'] as const) {
      const { status, body = '' } = reply(proof, verdict)
      expect(outcomeOf({ status, body: Buffer.from(body) })).toBe('returned')
    }
    expect(outcomeOf({ status: NOT_KEPT.status, body: Buffer.from(NOT_KEPT.body ?? '') })).toBe('returned')
    expect(reply({ kind: 'rejected', message: 'x' }, 'accepted').body).not.toBe('OK')
  })

  test('leaves the money where it is if nobody knows what is stored', () => {
    const { status, body = '' } = reply(proof, 'unsure')
    expect(outcomeOf({ status, body: Buffer.from(body) })).toBe('unanswered')
  })

  test.each(['OK\n', '\ufeffOK', ' OK', 'Ok', '<p>OK</p>', 'OKOK', ''])(
    'of %j is no OK for the simulated wallet',
    (text) => {
      expect(outcomeOf({ status: 200, body: Buffer.from(text) })).toBe('returned')
      expect(outcomeOf({ status: 201, body: Buffer.from('OK') })).toBe('returned')
    },
  )
})

describe('the settings', () => {
  test.each([
    ['REC_ACCOUNT', 'shop'],
    ['REC_ACCOUNT', ''],
    ['SECRET_KEY', 'with space'],
    ['CALLERS', '192.0.2.7/33'],
    ['CALLERS', 'idram.am'],
    ['ADDRESS', 'http://banking.idram.am/Payment/GetPayment'],
    ['ADDRESS', 'https://user@banking.idram.am/'],
    ['EMAIL', 'nobody'],
  ])('refuse %s=%s', (name, value) => {
    const given = { REC_ACCOUNT: '100000000', SECRET_KEY: SECRET, [name]: value }
    expect(IdramSettings.safeParse(given).success).toBe(false)
  })

  test('take several addresses of callers, with spaces or commas', () => {
    const CALLERS = '192.0.2.7, 198.51.100.0/24 2001:db8::/32'
    expect(IdramSettings.safeParse({ ...settings, CALLERS }).success).toBe(true)
  })
})
