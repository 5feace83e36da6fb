/** Statements of the simulated providers, written from their own books as the real providers write them. */
import { minorOf } from '../../providers/paypal/money.ts'
import { argv } from '../command-line.ts'
import { PAYPAL_ACCOUNTS } from '../histories/paypal-desk.ts'
import { sumOf } from '../histories/standing.ts'
import { STRIPE_ACCOUNTS } from '../histories/stripe-desk.ts'
import type { World } from '../histories/world.ts'
import type { SimAccount } from '../providers/paypal/books.ts'

export type Written = {
  id: string
  at: Date
  side: 'taken' | 'returned' | 'disputed'
  /** In minor units, in the direction of the side. Negative: what was disputed came back. */
  minor: number
  feeMinor: number
  currency: string
  reference: string
  movement: string
  parent: string
  /** PayPal's code of the kind, where the side does not tell. */
  code?: string
}

/** What Stripe and PayPal keep for a dispute. */
const DISPUTE_FEE_MINOR = 1_500

export function stripeLines({ desks }: World): Written[] {
  const account = desks.stripe.books().accounts.get(STRIPE_ACCOUNTS.one)
  if (!account) return []
  const referenceOf = new Map(
    [...account.sessions.values()].map((each) => [
      String(each.payment_intent),
      each.client_reference_id ?? '',
    ]),
  )
  const charges = [...account.charges.values()].filter(({ captured }) => captured)
  const refunds = [...account.refunds.values()].filter(({ status }) => status === 'succeeded')
  const line = (source: { id: string; created: number; currency: string }, intent: unknown) => ({
    id: `txn_of_${source.id}`,
    at: new Date(source.created * 1_000),
    currency: source.currency.toUpperCase(),
    reference: referenceOf.get(String(intent)) ?? '',
    movement: source.id,
  })
  return [
    ...charges.map((each) => ({
      ...line(each, each.payment_intent),
      side: 'taken' as const,
      minor: each.amount_captured,
      feeMinor: 59,
      parent: each.id,
    })),
    ...refunds.map((each) => ({
      ...line(each, each.payment_intent),
      side: 'returned' as const,
      minor: each.amount,
      feeMinor: 0,
      parent: String(each.charge),
    })),
    ...[...account.disputes.values()].flatMap((each) => {
      // An inquiry moves nothing.
      if (each.status.startsWith('warning')) return []
      const charge = account.charges.get(String(each.charge))
      const base = {
        ...line(each, charge?.payment_intent),
        side: 'disputed' as const,
        parent: String(each.charge),
      }
      const taken = { ...base, minor: each.amount, feeMinor: DISPUTE_FEE_MINOR }
      const back = { ...base, id: `${base.id}_back`, minor: -each.amount, feeMinor: 0 }
      return each.status === 'won' ? [taken, back] : [taken]
    }),
  ]
}

export function paypalLines({ desks }: World): Written[] {
  const account = desks.paypal.accounts().find(({ clientId }) => clientId === PAYPAL_ACCOUNTS.one)
  if (!account) return []
  return [...account.orders.values()].flatMap(({ unit, captures, refunds }) => [
    ...captures.map(({ id, amount, createdAt }) => ({
      id,
      at: createdAt,
      side: 'taken' as const,
      minor: minorOf(amount),
      feeMinor: 70,
      currency: amount.currency_code,
      reference: unit.custom_id ?? '',
      movement: id,
      parent: '',
    })),
    ...refunds.map(({ id, amount, createdAt, customId, captureId }) => ({
      id,
      at: createdAt,
      side: 'returned' as const,
      minor: minorOf(amount),
      feeMinor: 0,
      currency: amount.currency_code,
      reference: customId ?? '',
      movement: id,
      parent: captureId,
    })),
    ...account.disputes
      .filter(({ captureId }) => captures.some(({ id }) => id === captureId))
      .flatMap((each) => disputeLines(each, unit.custom_id ?? '')),
  ])
}

/** A hold, and a chargeback where the buyer wins. A hold that was let go stays on the statement. */
function disputeLines(each: SimAccount['disputes'][number], reference: string): Written[] {
  if (each.stage === 'INQUIRY') return []
  const base = {
    at: each.createdAt,
    side: 'disputed' as const,
    feeMinor: 0,
    currency: each.amount.currency_code,
    reference,
    movement: each.id,
    parent: each.captureId,
  }
  const minor = minorOf(each.amount)
  const hold = { ...base, id: `${each.id}-HOLD`, minor, code: 'T1110' }
  if (each.status !== 'RESOLVED') return [hold]
  const released = { ...base, id: `${each.id}-LET-GO`, minor: -minor, code: 'T1111' }
  const lost = { ...base, id: `${each.id}-LOST`, minor, code: 'T1201' }
  const fee = {
    ...base,
    id: `${each.id}-FEE`,
    minor: DISPUTE_FEE_MINOR,
    code: 'T0106',
    parent: lost.id,
    reference: '',
  }
  return each.outcome === 'RESOLVED_BUYER_FAVOUR' ? [hold, released, lost, fee] : [hold, released]
}

/** The bank's books have no times, so the time of each payment is given. */
export async function bankLines({ desks }: World, timeOf: (reference: string) => Date): Promise<Written[]> {
  const orders = (await desks.bank.orders()).filter(({ capturedMinor }) => capturedMinor > 0)
  return orders.flatMap(({ reference, capturedMinor, currency, refunds }) => {
    const at = timeOf(reference)
    const base = { at, currency, reference, movement: '', parent: '', feeMinor: 0 }
    const back = sumOf(refunds.filter(({ state }) => state === 'done'))
    return [
      { ...base, id: `in-${reference}`, side: 'taken' as const, minor: capturedMinor },
      ...(back > 0 ? [{ ...base, id: `out-${reference}`, side: 'returned' as const, minor: back }] : []),
    ]
  })
}

const quoted = (cells: (string | number)[]) =>
  cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')
const major = (minor: number) => (minor / 100).toFixed(2)
const signedMinor = ({ side, minor }: Written) => (side === 'taken' ? minor : 0 - minor)
const utc = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ')

const stripeKind = ({ side, minor }: Written) =>
  side === 'disputed' ? (minor < 0 ? 'dispute_reversal' : 'dispute') : side === 'taken' ? 'charge' : 'refund'

/** Stripe's itemized balance report. */
export function writeStripe(lines: Written[]): string {
  const head =
    'balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,charge_id,description,customer_facing_amount,customer_facing_currency'
  const rows = lines.map((each) =>
    quoted([
      each.id,
      utc(each.at),
      utc(each.at),
      each.currency.toLowerCase(),
      major(signedMinor(each)),
      major(each.feeMinor),
      major(signedMinor(each) - each.feeMinor),
      stripeKind(each),
      each.movement,
      each.parent,
      'Buyer, "the Name"',
      '',
      '',
    ]),
  )
  const fee = 'txn_fee,2020-01-01 00:00:00,,usd,-2.00,0.00,-2.00,fee,,,Radar,,'
  return [head, ...rows, fee.replace('2020-01-01 00:00:00', utc(lines[0]?.at ?? new Date(0)))].join('\n')
}

const codeOf = ({ code, side }: Written) => code ?? (side === 'taken' ? 'T0006' : 'T1107')

/** PayPal's transaction detail report: rows of several kinds, amounts without a sign. */
export function writePaypal(lines: Written[]): string {
  const stamp = (at: Date) => `${utc(at).replaceAll('-', '/')} +0000`
  const head =
    '"CH","Transaction ID","Invoice ID","PayPal Reference ID","PayPal Reference ID Type","Transaction Event Code","Transaction Initiation Date","Transaction Completion Date","Transaction Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency","Transactional Status","Custom Field"'
  const row = (each: Written, status: string) =>
    quoted([
      'SB',
      each.id,
      '',
      each.parent,
      each.parent && 'TXN',
      codeOf(each),
      stamp(each.at),
      stamp(each.at),
      signedMinor(each) > 0 ? 'CR' : 'DR',
      Math.abs(each.minor),
      each.currency,
      'DR',
      each.feeMinor,
      each.currency,
      status,
      each.reference,
    ])
  const denied = lines[0] ? row({ ...lines[0], id: 'DENIED00000000000' }, 'D') : ''
  return [
    '"RH","2026/01/01 00:00:00 +0000","A","SHPSHPSHP2222",011',
    '"FH",01',
    '"SH","2026/01/01 00:00:00 +0000","2026/01/02 00:00:00 +0000","SHPSHPSHP2222",""',
    head,
    ...lines.map((each) => row(each, 'S')),
    denied,
    `"SF","USD",0,0,0,0,${lines.length}`,
    `"SC",${lines.length}`,
    '"RF",0',
  ].join('\r\n')
}

/** A bank in Yerevan, which writes decimals with a comma and has no ids of lines. */
export function writeBank(lines: Written[]): string {
  const local = (at: Date) => {
    const [day = '', time = ''] = utc(new Date(at.getTime() + 4 * 3_600_000)).split(' ')
    return `${day.split('-').reverse().join('.')} ${time}`
  }
  const rows = lines.map(
    (each) =>
      `${local(each.at)};${major(signedMinor(each)).replace('.', ',')};${each.currency};order/${each.reference}`,
  )
  return ['Datum;Betrag;Währung;Zweck', ...rows].join('\n')
}
export const BANK_FORMAT = argv`--column at=Datum amount=Betrag ${'currency=Währung'} orders=Zweck --dates dmy --decimal-sign , --time-zone Asia/Yerevan`
