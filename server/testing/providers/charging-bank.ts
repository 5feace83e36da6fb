/**
 * A simulated provider of saved cards with its own records. A test can change its responses. It charges for every request, also
 * for a repeated one.
 */
import type { Context } from '../../context.ts'
import { AccountRefusedError, RetryLaterError } from '../../providers/driver/refusal.ts'
import type {
  ChargeResult,
  Driver,
  LookUpResult,
  OpenedBetween,
  TokenCharge,
} from '../../providers/driver.ts'

/**
 * `lose`: charges, and the response is lost. `drop`: does not charge, and the response is lost. `decline`, `decline_hard`: declines.
 * `pending`: neither charges nor declines until the test decides. `restrict`: refuses the account, and repeats this for the same
 * request id. `busy`: rejects the charge for the moment.
 */
export type Bend = 'lose' | 'drop' | 'decline' | 'decline_hard' | 'pending' | 'restrict' | 'busy'
type Known = Pick<TokenCharge, 'reference' | 'amountMinor' | 'currency'> & {
  state: 'pending' | 'taken' | 'declined' | 'refused'
  period: number
}

export type ChargingBank = {
  /** Every charge that was carried out, in order. */
  taken: Known[]
  known: Map<string, Known>
  /** The ids of the requests at which the account was refused. */
  refusedIds: Set<string>
  /** The faults of the next charges, in order. Later charges succeed. */
  bends: Bend[]
  /** While set, look-ups fail. */
  away: boolean
  /** While set, no request leaves. */
  isUnreachable: boolean
  /** When the order of the last look-up was opened, as the service says. */
  opened: OpenedBetween | undefined
}

/** Puts the provider into route_a of this context. Cards are saved at the simulated bank as before. */
export function openChargingBank(ctx: Context): ChargingBank {
  const bank: ChargingBank = {
    taken: [],
    known: new Map(),
    bends: [],
    away: false,
    isUnreachable: false,
    refusedIds: new Set(),
    opened: undefined,
  }
  const { driver } = ctx.routes.route_a
  if (!driver) throw new Error('Bug! route_a has a driver in sandbox mode.')
  const changes: Pick<Driver, 'chargeToken' | 'lookUp'> = {
    async chargeToken(_, charge) {
      expectReachable(bank)
      return act(bank, charge)
    },
    async lookUp(_, { reference, opened }) {
      expectReachable(bank)
      bank.opened = opened
      if (bank.away) throw new Error('the bank is away')
      return truthOf(bank.known.get(reference))
    },
  }
  ctx.routes.route_a = { ...ctx.routes.route_a, driver: { ...driver, ...changes } }
  return bank
}

/** @throws the error that ProviderHttp throws for a refused connection */
function expectReachable({ isUnreachable }: ChargingBank): void {
  if (isUnreachable) throw Object.assign(new Error('the connection was refused'), { onlyRead: true })
}

function act(bank: ChargingBank, charge: TokenCharge): ChargeResult {
  const { reference, amountMinor, currency, metadata, refusedTimes = 0 } = charge
  const bend = bank.bends.shift()
  const requestId = `${reference}-${refusedTimes}`
  if (bend === 'restrict' || bank.refusedIds.has(requestId)) {
    bank.refusedIds.add(requestId)
    throw new AccountRefusedError('account', 'the bank has restricted this account')
  }
  if (bend === 'busy') throw new RetryLaterError('the bank answered 429')
  const order = { reference, amountMinor, currency, period: Number(metadata?.period) }
  const note = (state: Known['state']) => bank.known.set(reference, { ...order, state })
  if (bend === 'drop') throw new Error('the connection was reset')
  if (bend === 'pending') note('pending')
  if (bend === 'decline') note('declined')
  if (bend === 'decline_hard') note('refused')
  if (bend === undefined || bend === 'lose') {
    note('taken')
    bank.taken.push({ ...order, state: 'taken' })
  }
  if (bend === 'lose') throw new Error('the connection was reset')
  if (bend === 'pending') return { kind: 'pending' }
  if (bend === undefined) return { kind: 'done' }
  return { kind: 'refused', message: 'the bank says no', decline: bend === 'decline' ? 'soft' : 'hard' }
}

const ORDER = {
  pending: 'reached',
  taken: 'completed',
  declined: 'declined',
  refused: 'declined',
} as const

function truthOf(known: Known | undefined): LookUpResult {
  if (!known) return { kind: 'not_found' }
  const { reference, amountMinor, currency, state } = known
  const moved = state === 'taken' ? amountMinor : 0
  return {
    kind: 'found',
    snapshot: {
      reference,
      amountMinor,
      currency,
      order: ORDER[state],
      authorizedMinor: moved,
      capturedMinor: moved,
      refundedMinor: 0,
      ...(state === 'refused' && { decline: 'hard' }),
    },
  }
}
