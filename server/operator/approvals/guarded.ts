/** The acts that may need a second person: what is at stake, and how each is carried out. */
import { type AccountView, getAccountView, retireAccount } from '../../accounts/manage.ts'
import { ownByEnvironment, type SetAccount, setAccount } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { confirmPayment, type DecidedStatus, resolvePayment } from '../../payments/decisions/payment.ts'
import { noteReturn, type Returned } from '../../payments/decisions/returned.ts'
import { decimalAmount } from '../../payments/money.ts'
import { returnedOf } from '../../payments/moved.ts'
import type { MoneyOperation } from '../../payments/operation.ts'
import { checkReceiverUrl, setCallback } from '../../receivers/receiver.ts'
import { listAccounts } from '../../storage/accounts/accounts.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { confirmIdentity } from '../account-identity.ts'
import { actOnMoney, type MoneyAct, type MoneyActed, planMoneyAct } from '../acts/money.ts'
import { BANK_ACCOUNT, type BankAccount, detailsOf, seenOf, wantedOf } from './bank-account.ts'
import { GUARDED_PEOPLE } from './people.ts'
import type { Guarded, Stake } from './stake.ts'

const guarded = <Args, Result>(row: Guarded<Args, Result>) => row

type Versioned = { version?: number | undefined }
type Wanted = Parameters<typeof setAccount>[1]
type Retirement = { accountId: string; inFavourOfDeployment: boolean }

/** `arrivedMinor`: what has arrived, if that is known. It may be more than the payment's amount. */
type Staked<Args> = {
  args: Args
  how: string
  amountMinor?: number | null
  arrivedMinor?: number | undefined
  addsUp?: boolean
}

/** The payment's present version is bound to the proposal, so a payment that changes meanwhile is refused. */
async function stakeOf<Args extends Versioned>(
  ctx: Context,
  paymentId: string,
  { args, how, amountMinor, arrivedMinor = 0, addsUp = false }: Staked<Args>,
): Promise<Stake<Args>> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (!payment) throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
  const { merchantId, currency, version } = payment
  const sum = Math.max(amountMinor ?? payment.amountMinor, arrivedMinor)
  const about = `${paymentId} ${how}, ${decimalAmount(sum, currency)} ${currency}`
  // A repeated act moves nothing, whatever was returned before.
  const before = addsUp && sum > 0 ? returnedOf(payment, await listEntries(ctx.db, payment)) : 0
  return {
    money: { amountMinor: before + sum, currency },
    merchantId,
    about,
    args: { version, ...defined(args) },
  }
}

const defined = <Args extends Versioned>(args: Args): Args =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Args

const redirecting = <Args>(merchantId: string | null, about: string, args: Args): Stake<Args> => ({
  ...{ money: null, merchantId, about, args },
})

/** A repeated act moves no money. Its key is bound, so what is granted twice is done once. */
const moneyRow = (type: MoneyOperation, addsUp: boolean) =>
  guarded<MoneyAct, MoneyActed>({
    addsUp,
    async stake(ctx, given) {
      const { args, known, payment } = await planMoneyAct(ctx, type, given)
      const amountMinor = known ? 0 : (args.amountMinor ?? (payment.capturedMinor || payment.authorizedMinor))
      return stakeOf(ctx, args.paymentId, { args, how: type, amountMinor, addsUp })
    },
    run: (ctx, args, actor) => actOnMoney(ctx, type, args, actor),
  })

export const GUARDED = {
  ...GUARDED_PEOPLE,
  'payment confirm': guarded({
    stake: (
      ctx,
      args: Versioned & {
        paymentId: string
        reference: string
        amountMinor?: number | undefined
        accepts?: boolean | undefined
      },
    ) => stakeOf(ctx, args.paymentId, { args, how: 'paid', arrivedMinor: args.amountMinor }),
    run: (ctx, { paymentId, ...given }, actor) => confirmPayment(ctx, paymentId, { ...given, actor }),
  }),
  'payment resolve': guarded({
    stake: (
      ctx,
      args: Versioned & {
        paymentId: string
        as: DecidedStatus
        why: string | null
        accepts?: number | undefined
      },
    ) => stakeOf(ctx, args.paymentId, { args, how: `as ${args.as}` }),
    run: (ctx, { paymentId, as, ...given }, actor) => resolvePayment(ctx, paymentId, as, { ...given, actor }),
  }),
  'payment returned': guarded({
    addsUp: true,
    stake: (ctx, args: Versioned & Returned & { paymentId: string; why: string | null }) =>
      stakeOf(ctx, args.paymentId, {
        ...{ args, how: 'returned by hand', amountMinor: args.amountMinor, addsUp: true },
      }),
    run: (ctx, { paymentId, ...given }, actor) => noteReturn(ctx, paymentId, { ...given, actor }),
  }),
  'payment refund': moneyRow('refund', true),
  'payment capture': moneyRow('capture', false),
  'payment void': moneyRow('void', false),
  'operation resolve': guarded({
    async stake(
      ctx,
      args: Versioned & { operationId: string; as: 'succeeded' | 'failed'; why: string | null },
    ) {
      const { operationId, as } = args
      const operation = await findOperationById(ctx.db, operationId)
      if (!operation?.paymentId)
        return redirecting(operation?.merchantId ?? null, `${operationId} as ${as}`, args)
      const { paymentId, amountMinor, type } = operation
      return stakeOf(ctx, paymentId, { args, how: `${type} ${operationId} as ${as}`, amountMinor })
    },
    run: (ctx, { operationId, as, ...given }, actor) =>
      resolveOperation(ctx, operationId, as, { ...given, actor }),
  }),
  'account set': guarded<{ wanted: Wanted; unchecked: boolean }, SetAccount>({
    async stake(_ctx, args) {
      const { merchantId, route, driver } = args.wanted
      return redirecting(merchantId, `${merchantId} ${route}, driver ${driver}`, args)
    },
    run: (ctx, { wanted, unchecked }) => setAccount(ctx, wanted, confirmIdentity(ctx, { unchecked })),
  }),
  [BANK_ACCOUNT]: guarded<BankAccount, SetAccount>({
    async stake(ctx, args) {
      const seen = seenOf(await listAccounts(ctx.db), args)
      return redirecting(args.merchantId, detailsOf(args), { ...args, seen })
    },
    run: (ctx, args) => setAccount(ctx, wantedOf(args)),
  }),
  'account retire': guarded<Retirement, AccountView>({
    async stake(ctx, args) {
      const { owner, route } = await getAccountView(ctx, args.accountId)
      if (owner === null) throw ownByEnvironment(route)
      const how = args.inFavourOfDeployment ? ', its payments go to the account of the deployment' : ''
      // Without the deployment the payments are refused, so no money goes anywhere else.
      return { ...redirecting(owner, `${args.accountId}${how}`, args), isFree: !args.inFavourOfDeployment }
    },
    run: (ctx, { accountId, inFavourOfDeployment }) =>
      retireAccount(ctx, accountId, { inFavourOfDeployment }),
  }),
  'callback set': guarded({
    async stake(ctx, args: { merchantId: string; url: string; seen?: string | null }) {
      const { merchantId, url } = args
      checkReceiverUrl(ctx, url)
      // The address that it replaces is bound, so an old proposal never replaces a newer address.
      const seen =
        args.seen === undefined ? ((await findReceiver(ctx.db, merchantId))?.url ?? null) : args.seen
      return redirecting(merchantId, `${merchantId} ${url.replace(/\?.*/s, '?...')}`, { ...args, seen })
    },
    run: (ctx, { merchantId, url, seen }) => setCallback(ctx, merchantId, url, { seen }),
  }),
  'approval limit': guarded({
    async stake(_ctx, args: { currency: CurrencyCode; limitMinor: number | null }) {
      const { currency, limitMinor } = args
      const limit = limitMinor === null ? 'no limit' : decimalAmount(limitMinor, currency)
      return redirecting(null, `${currency} ${limit}`, args)
    },
    async run(ctx, { currency, limitMinor }) {
      await storeLimit(ctx.db, currency, limitMinor)
      return { currency, limitMinor }
    },
  }),
}

export type GuardedName = keyof typeof GUARDED
export type ArgsOf<Name extends GuardedName> = Parameters<(typeof GUARDED)[Name]['run']>[1]
export type ResultOf<Name extends GuardedName> = Awaited<ReturnType<(typeof GUARDED)[Name]['run']>>
