/** For each setting of the console, what a person fills in, something wrong, and how to see that it was done. */
import { addUser, listEverybody } from '../access/users.ts'
import { getAccountView } from '../accounts/manage.ts'
import { newId } from '../id.ts'
import { getMerchantRoutes } from '../merchants/routes.ts'
import { readRestore } from '../payments/restored/report.ts'
import { setCallback } from '../receivers/receiver.ts'
import { listLimits } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import { insertNotice, listMails } from '../storage/mails/mails.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createSession, sessionRequest } from './calls.ts'
import type { Kassa, Shop } from './harness.ts'

export type Things = { kassa: Kassa; shop: Shop }
/** `wrong`: a field with a text that is refused. `prepare`: what has to be there first. `look`: what the act changes. */
export type SettingExample = {
  /** A value that no page may repeat. */
  secret?(): string
  prepare?(things: Things): Promise<unknown>
  form(things: Things): Record<string, string> | Promise<Record<string, string>>
  wrong?: Record<string, string>
  /** The account that the address names. */
  account?(things: Things): Promise<string>
  look(things: Things): Promise<unknown>
  /** It may be done again at once, and changes nothing then. */
  repeats?: boolean
  changesNothing?: boolean
}

const CONTRACT = { s_CUSTOMER: 'shop-7', s_SECRET: 'a secret of nobody' }
const ownAccounts = async ({ kassa, shop }: Things) => {
  kassa.ctx.accounts.forget()
  const { byId } = await kassa.ctx.accounts.read()
  return [...byId.values()]
    .filter(({ record }) => record.owner === shop.merchantId)
    .map(({ record: { id, version, retiredAt } }) => ({ id, version, retiredAt }))
}
const anAccount = async (things: Things) =>
  (await ownAccounts(things)).find(({ retiredAt }) => retiredAt === null)?.id ?? ''
const deploymentAccount = async ({ kassa }: Things) => kassa.ctx.routes.route_e.id
const allowed = async (things: Things) =>
  (await getAccountView(things.kassa.ctx, await deploymentAccount(things))).merchants
let [buyer, mail] = ['', '']

export const SETTING_EXAMPLES: Partial<Record<string, SettingExample>> = {
  merchant_routes: {
    form: () => ({ routes: 'route_a=Bank card\nroute_b=Wallet', label_ru: 'route_a=Карта', marks: '' }),
    wrong: { routes: 'route_z=Bank card' },
    look: ({ kassa, shop }) => getMerchantRoutes(kassa.ctx, shop.merchantId),
  },
  callback_verify: {
    prepare: ({ kassa, shop }) => setCallback(kassa.ctx, shop.merchantId, `${kassa.url}/nobody`),
    form: () => ({}),
    look: async ({ kassa, shop }) =>
      (await findLatestCallbackCheck(kassa.ctx.db, shop.merchantId, `${kassa.url}/nobody`))?.id,
  },
  account_set: {
    form: () => ({ ...CONTRACT, driver: 'sandbox', route: 'route_a', currencies: 'usd amd' }),
    secret: () => CONTRACT.s_SECRET,
    wrong: { currencies: 'USD XYZ', driver: 'unknown', s_FAULT: 'no fault' },
    look: ownAccounts,
  },
  account_rotate: {
    account: anAccount,
    form: () => ({ s_SECRET: 'a newer secret of nobody' }),
    secret: () => 'a newer secret of nobody',
    wrong: { s_FAULT: 'no fault' },
    look: ownAccounts,
  },
  account_allow: {
    account: deploymentAccount,
    form: ({ shop }) => ({ merchant: shop.merchantId }),
    wrong: { merchant: 'mer_unknown' },
    look: allowed,
  },
  account_forbid: {
    account: deploymentAccount,
    form: ({ shop }) => ({ merchant: shop.merchantId }),
    wrong: { merchant: 'mer_unknown' },
    look: allowed,
  },
  customer_forget: {
    async prepare({ kassa, shop }) {
      const body = sessionRequest({ merchantOrderId: 'forget', customer: { email: 'ani@buyer.example' } })
      buyer = (await createSession(kassa.url, shop, { key: 'forget', body })).body.id
    },
    form: () => ({ email: 'ani@buyer.example' }),
    wrong: { email: 'nobody at all' },
    look: async ({ kassa }) => (await findPaymentById(kassa.ctx.db, buyer))?.customer?.email,
    repeats: true,
  },
  restore_end: {
    prepare: ({ kassa }) =>
      kassa.ctx.db.query(
        `insert into sandbox.restores (restored_at, backup_at, skipped_numbers) select now(), now(), 0
         where not exists (select from sandbox.restores)`,
      ),
    form: () => ({ why: 'compared by hand' }),
    wrong: { why: '' },
    look: async ({ kassa }) => (await readRestore(kassa.ctx, 1))?.restore.endedAt,
  },
  mail_resend: {
    async prepare({ kassa: { ctx }, shop: { merchantId } }) {
      const now = ctx.clock.now()
      const notice = { merchantId, id: newId(ctx.world, 'mal', merchantId, now), kind: 'order_test' } as const
      mail = notice.id
      await inTransaction(ctx.db, (tx) => insertNotice(tx, { ...notice, notice: {}, createdAt: now }))
      await ctx.db.query(
        "update sandbox.mails set state = 'failed', ended_at = now(), due_at = null where id = $1",
        [mail],
      )
    },
    form: () => ({ mail }),
    wrong: { mail: 'mal_unknown' },
    look: async ({ kassa }) =>
      (await listMails(kassa.ctx.db, { limit: 100 })).find(({ id }) => id === mail)?.state,
  },
  mail_check: { form: () => ({}), look: async () => null, changesNothing: true, repeats: true },
  clock_advance: {
    async prepare({ kassa: { ctx, clock } }) {
      // As the service's own clock of the sandbox, which the tests' clock stands for.
      const sandbox = {
        aheadMs: () => clock.offsetMs,
        moveTo(aheadMs: number) {
          clock.offsetMs = Math.max(clock.offsetMs, aheadMs)
        },
      }
      Object.assign(ctx.clock, { sandbox })
    },
    form: () => ({ by: '1h' }),
    wrong: { by: '2h' },
    look: async ({ kassa }) => kassa.ctx.clock.sandbox?.aheadMs(),
  },
  approval_limit: {
    async prepare({ kassa }) {
      const email = 'second@pay.example'
      if (!(await listEverybody(kassa.ctx)).some(({ user }) => user?.email === email))
        await addUser(kassa.ctx, { name: 'Second', role: 'operator', email, merchantId: null })
    },
    form: () => ({ currency: 'USD', amount: '500.00', off: '' }),
    wrong: { amount: 'five', currency: 'XXX' },
    look: ({ kassa }) => listLimits(kassa.ctx.db),
  },
}
