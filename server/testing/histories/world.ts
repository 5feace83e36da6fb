/**
 * The deployment of these histories: six routes at three simulated providers, two merchants, one of whom has an account of its own,
 * and a cash register that prints. Each history starts with empty books on both sides, at the time of the machine.
 */
import { setAccount } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import { createOutbound } from '../../outbound/outbound.ts'
import { createProviderNetwork } from '../../providers/http.ts'
import type { Db } from '../../storage/db.ts'
import { openDb } from '../../storage/db.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../harness.ts'
import { routeSettings } from '../providers/route-settings.ts'
import { BANK_CUSTOMER, BANK_SECRET, openBankDesk } from './bank-desk.ts'
import { openPaypalDesk, PAYPAL_ACCOUNTS, PAYPAL_SECRET, PAYPAL_WEBHOOK } from './paypal-desk.ts'
import type { Desk } from './standing.ts'
import { openStripeDesk, STRIPE_ACCOUNTS, STRIPE_SECRET, stripeKeyOf } from './stripe-desk.ts'

/** `isBroken`: its own account has not the right credentials now. */
export type Seller = { shop: Shop; accountId: string | null; isBroken: boolean }
export type World = {
  kassa: Kassa
  ctx: Context
  /** A connection of its own, which no process of the service loses. */
  look: Db
  desks: {
    stripe: Awaited<ReturnType<typeof openStripeDesk>>
    paypal: Awaited<ReturnType<typeof openPaypalDesk>>
    bank: Desk
  }
  sellers: [Seller, Seller]
}

/** Whose account at which provider a route leads to, and how it takes money. */
export const ROUTES = {
  route_a: { desk: 'stripe', account: STRIPE_ACCOUNTS.one, steps: 'one', currencies: ['USD', 'AMD', 'EUR'] },
  route_b: { desk: 'paypal', account: PAYPAL_ACCOUNTS.one, steps: 'one', currencies: ['USD', 'EUR'] },
  route_c: { desk: 'stripe', account: STRIPE_ACCOUNTS.two, steps: 'two', currencies: ['USD', 'AMD', 'EUR'] },
  route_d: { desk: 'paypal', account: PAYPAL_ACCOUNTS.two, steps: 'two', currencies: ['USD', 'EUR'] },
  route_e: { desk: 'bank', account: BANK_CUSTOMER, steps: 'one', currencies: ['USD', 'AMD', 'EUR'] },
} as const satisfies Partial<Record<ProviderRoute, object>>
export type RouteName = keyof typeof ROUTES

/** The routes between which the buyers of the first merchant choose. */
export const CHOICES = ['route_a', 'route_b', 'route_c', 'route_e'] as const

export async function startWorld(): Promise<World> {
  const late = { kassa: null as Kassa | null }
  const now = () => late.kassa?.clock.now() ?? new Date()
  const callbackTo = (accountId: string | undefined) => `${late.kassa?.url}/callbacks/${accountId}`
  const stripe = await openStripeDesk(now, (name) =>
    name === 'one' ? callbackTo(late.kassa?.ctx.routes.route_a.id) : null,
  )
  const paypal = await openPaypalDesk(now, () => callbackTo(late.kassa?.ctx.routes.route_b.id))
  const bank = await openBankDesk(now)
  const kassa = await startKassa({ settings: settingsFor({ stripe, paypal, bank }) })
  late.kassa = kassa
  const { ctx } = kassa
  const look = openDb(kassa.databaseUrl, { world: 'sandbox', max: 1 })
  look.options.idleTimeoutMillis = 0
  await watchVersions(look)
  const shops = [await openShop(ctx), await openShop(ctx)] as const
  await setMerchantRoutes(
    ctx,
    shops[0].merchantId,
    CHOICES.map((route) => ({ route, label: route })),
  )
  const sellers: World['sellers'] = [
    { shop: shops[0], accountId: null, isBroken: false },
    { shop: shops[1], accountId: null, isBroken: true },
  ]
  return { kassa, ctx, look, desks: { stripe, paypal, bank }, sellers }
}

function settingsFor({ stripe, paypal, bank }: World['desks']): Record<string, string> {
  const ofStripe = (name: 'one' | 'two', steps: string) => ({
    DRIVER: 'stripe',
    ACCOUNT: STRIPE_ACCOUNTS[name],
    SECRET_KEY: stripeKeyOf(name),
    STEPS: steps,

    API_BASE: stripe.origin,
    FISCAL: 'sandbox',
    ...(name === 'one' && { WEBHOOK_SECRET: STRIPE_SECRET }),
  })
  const ofPaypal = (name: 'one' | 'two', steps: string) => ({
    DRIVER: 'paypal',
    ENVIRONMENT: 'sandbox',
    CLIENT_ID: PAYPAL_ACCOUNTS[name],
    CLIENT_SECRET: PAYPAL_SECRET,

    ADDRESS: paypal.origin,
    STEPS: steps,
    RENEWALS: 'enabled',
    SAVED_METHODS: 'enabled',
    FISCAL: 'sandbox',
    ...(name === 'one' && { WEBHOOK_ID: PAYPAL_WEBHOOK }),
  })
  return {
    ...routeSettings('ROUTE_A', ofStripe('one', 'one')),
    ...routeSettings('ROUTE_B', ofPaypal('one', 'one')),
    ...routeSettings('ROUTE_C', ofStripe('two', 'two')),
    ...routeSettings('ROUTE_D', ofPaypal('two', 'two')),
    ...routeSettings('ROUTE_E', {
      DRIVER: 'sandbox',
      CUSTOMER: BANK_CUSTOMER,
      SECRET: BANK_SECRET,
      ADDRESS: `${bank.origin}/bank`,
      FISCAL: 'sandbox',
    }),
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'receipts@pay.example',
    POOL_MAX: '16',
  }
}

/** Every version of a payment as it was committed, written by the database itself. */
async function watchVersions(db: Db): Promise<void> {
  await db.query(`
    create schema model;
    create table model.versions (payment_id text, version int, status text, authorized bigint, captured bigint,
      refunded bigint, primary key (payment_id, version));
    create table model.unversioned (payment_id text, version int);
    create function model.note() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' or new.version <> old.version then
        insert into model.versions values (new.id, new.version, new.status, new.authorized_minor, new.captured_minor, new.refunded_minor);
      elsif (new.status, new.authorized_minor, new.captured_minor, new.refunded_minor)
          is distinct from (old.status, old.authorized_minor, old.captured_minor, old.refunded_minor) then
        insert into model.unversioned values (new.id, new.version);
      end if;
      return null;
    end $$;
    -- The books of a history that is over are emptied. While it goes on, nothing in them changes.
    drop trigger entries_are_kept on sandbox.entries;
    create trigger entries_are_kept before update on sandbox.entries for each row execute function sandbox.refuse_rewriting();
    create trigger model_note after insert or update on sandbox.payments for each row execute function model.note()`)
}

const FILLED = [
  'sandbox.deliveries',
  'sandbox.mails',
  'sandbox.receipt_changes',
  'sandbox.receipts',
  'sandbox.fiscal_registers',
  'sandbox.sandbox_receipts',
  'sandbox.subscription_charges',
  'sandbox.subscriptions',
  'sandbox.saved_methods',
  'sandbox.operation_changes',
  'sandbox.operations',
  'sandbox.events',
  'sandbox.payment_warnings',
  'sandbox.payment_changes',
  'sandbox.idempotency_keys',
  'sandbox.bank_references',
  'sandbox.provider_exchanges',
  'sandbox.entries',
  'sandbox.attempts',
  'sandbox.account_facts',
  'sandbox.account_health',
  'sandbox.payments',
  'sandbox.account_health',
  'sandbox.account_facts',
  'model.versions',
  'model.unversioned',
]

export async function resetWorld(world: World): Promise<void> {
  const { kassa, ctx, look, desks, sellers } = world
  kassa.clock.offsetMs = 0
  for (const desk of Object.values(desks)) await desk.reset()
  await look.query(`${FILLED.map((table) => `delete from ${table};`).join(' ')}
    update sandbox.accounts set callback_seen_at = null, refused_at = null, refused_reason = null, settled_questions_paused_until = null
      where num_nonnulls(callback_seen_at, refused_at, settled_questions_paused_until) > 0;
    delete from sandbox_jobs._private_jobs;`)
  ctx.providers = createProviderNetwork({
    outbound: createOutbound(['loopback'], { anyPort: true }),
    record: () => {},
    onBreaker: () => {},
    nowMs: () => kassa.clock.now().getTime(),
  })
  for (const route of Object.values(ctx.routes)) {
    const { fiscal } = route
    if (fiscal) Object.assign(fiscal.settings, { FAULT: undefined })
  }
  const [, own] = sellers
  if (own.isBroken) await setOwnAccount(world, own)
  ctx.accounts.forget()
}

/** The second merchant's own account, with the right key. */
export async function setOwnAccount({ ctx, desks }: World, seller: Seller): Promise<void> {
  const { accountId } = await setAccount(ctx, {
    merchantId: seller.shop.merchantId,
    route: 'route_a',
    driver: 'stripe',
    currencies: undefined,
    written: { ACCOUNT: STRIPE_ACCOUNTS.own, SECRET_KEY: stripeKeyOf('own'), API_BASE: desks.stripe.origin },
  })
  Object.assign(seller, { accountId, isBroken: false })
}

export async function closeWorld({ kassa, look, desks }: World): Promise<void> {
  await look.end()
  await kassa.close()
  for (const desk of Object.values(desks)) await desk.door.close()
}
