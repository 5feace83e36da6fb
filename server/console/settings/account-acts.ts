/** The contracts with providers: a shop's own ones, and who may use those of the deployment. */
import { driverNames } from '../../accounts/described.ts'
import { type AccountView, allowAccount, getAccountView } from '../../accounts/manage.ts'
import { rotateAccount, setAccount } from '../../accounts/set.ts'
import {
  CURRENCY_CODES,
  type CurrencyCode,
  PROVIDER_ROUTES,
  type ProviderRoute,
} from '../../contract/fields.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { listMerchantNames, listMerchantsBesides } from '../../storage/merchants/merchants.ts'
import type { Option } from '../form-parts.ts'
import { say } from '../words/say.ts'
import { type Given, type Scene, type SettingAct, type SettingName, setting } from './act.ts'
import { driverFields, driverLines, settingIn, writtenOf } from './driver-fields.ts'
import { CHOSEN_MAX, type Field } from './fields.ts'

type KnownAccount = { id: string; version: number; retiredAt: Date | null; route: string }

/** The versions rise with each change, also of what nobody may see. */
async function versionsOf({ ctx }: Scene, isMeant: (each: { id: string; owner: string | null }) => boolean) {
  ctx.accounts.forget()
  const { byId } = await ctx.accounts.read()
  const records = [...byId.values()].map(({ record }) => record).filter(isMeant)
  return records.map(({ id, version, retiredAt, route }): KnownAccount => ({ id, version, retiredAt, route }))
}

const UNCHECKED: Field = { name: 'unchecked', label: 'setUnchecked', kind: 'tick' }
const alike = (texts: readonly string[]): Option[] => texts.map((each) => [each, each] as const)
const currenciesOf = ({ currencies = '' }: Given): CurrencyCode[] => {
  const codes = currencies.toUpperCase().split(/[\s,]+/)
  return CURRENCY_CODES.filter((code) => codes.includes(code))
}

function wantedOf(given: Given, { about }: Scene) {
  const { driver = '', route } = given
  const currencies = currenciesOf(given)
  return {
    merchantId: about,
    driver,
    route: route as ProviderRoute,
    written: writtenOf(driver, given),
    currencies: currencies.length > 0 ? currencies : undefined,
  }
}

const set = setting<{ accounts: KnownAccount[] }>({
  name: 'account_set',
  needs: 'account set',
  place: 'shop',
  group: 'setAccounts',
  present: async (scene) => ({ accounts: await versionsOf(scene, ({ owner }) => owner === scene.about) }),
  fields(_present, { visit: { form, query } }) {
    const driver = form.driver ?? query.driver ?? ''
    const choice: Field = {
      name: 'driver',
      label: 'setDriver',
      kind: 'choice',
      options: alike(driverNames()),
    }
    if (!driverNames().includes(driver)) return [choice]
    return [
      choice,
      { name: 'route', label: 'setRoute', kind: 'choice', options: alike(PROVIDER_ROUTES) },
      {
        name: 'currencies',
        label: 'setCurrencies',
        kind: 'text',
        hint: 'setCurrenciesHint',
        isOptional: true,
      },
      ...driverFields(driver, { isNew: true }),
      UNCHECKED,
    ]
  },
  check(given) {
    const codes = (given.currencies ?? '').split(/[\s,]+/).filter((code) => code !== '')
    return codes.length === currenciesOf(given).length ? {} : { currencies: 'setCurrenciesHint' }
  },
  blames: settingIn,
  changes(given, { accounts }) {
    const replaced = accounts.filter(({ route, retiredAt }) => route === given.route && !retiredAt)
    const ids = replaced.map(({ id }) => id).join(', ')
    return [
      ['setRoute', ids, given.route ?? ''],
      ['setDriver', null, given.driver ?? ''],
      ['setCurrencies', null, currenciesOf(given).join(', ')],
      ...driverLines(given.driver ?? '', writtenOf(given.driver ?? '', given)),
    ]
  },
  guarded: (given, scene) => ({
    name: 'account set',
    args: { wanted: wantedOf(given, scene), unchecked: given.unchecked === 'yes' },
  }),
  // The provider is asked whose credentials these are only when they are stored.
  async rehearse(ctx, given, scene) {
    await doOrRehearse(ctx, { dryRun: true }, (own) => setAccount(own, wantedOf(given, scene)))
    return []
  },
  async run(ctx, given, scene, person) {
    const args = { wanted: wantedOf(given, scene), unchecked: given.unchecked === 'yes' }
    const decided = await doOrPropose(ctx, person, 'account set', args)
    if ('proposed' in decided) return 'proposed'
    const { accountId, outcome, retired } = decided.done
    return {
      message: `setAccount_${outcome}`,
      lines: [
        ['account', accountId],
        ['setReplaced', retired.join(', ')],
      ],
    }
  },
})

type OfAccount = { account: AccountView; version: number }

const ofAccount = async (scene: Scene): Promise<OfAccount> => {
  const [known] = await versionsOf(scene, ({ id }) => id === scene.about)
  return { account: await getAccountView(scene.ctx, scene.about), version: known?.version ?? 0 }
}
/** What changes by itself, such as its health, is no reason to look again. */
const stable = ({
  account: { owner, shared, merchants, retiredAt, settings, driver },
  version,
}: OfAccount) => ({
  owner,
  shared,
  allowed: merchants,
  retiredAt,
  settings,
  driver,
  version,
})
type Stable = ReturnType<typeof stable>

const rotate = setting<Stable>({
  name: 'account_rotate',
  needs: 'account rotate',
  place: 'account',
  group: 'setAccount',
  present: async (scene) => stable(await ofAccount(scene)),
  whyNot: ({ owner }) => (owner === null ? 'setByEnvironment' : null),
  fields: ({ driver, settings }) => [...driverFields(driver, { present: settings, isNew: false }), UNCHECKED],
  check({ unchecked: _unchecked, ...given }, { driver, settings }) {
    const isNothing = Object.keys(writtenOf(driver, given, settings)).length === 0
    const [first = ''] = Object.keys(given)
    return isNothing ? { [first]: 'setNothing' } : {}
  },
  blames: settingIn,
  changes: (given, { driver, settings }) => driverLines(driver, writtenOf(driver, given, settings), settings),
  async rehearse(ctx, given, scene) {
    const { account } = await ofAccount(scene)
    const written = writtenOf(account.driver, given, account.settings)
    await doOrRehearse(ctx, { dryRun: true }, (own) => rotateAccount(own, scene.about, written))
    return []
  },
  async run(ctx, given, scene, person) {
    const { account } = await ofAccount(scene)
    const written = writtenOf(account.driver, given, account.settings)
    const args = { accountId: scene.about, written, unchecked: given.unchecked === 'yes' }
    return 'proposed' in (await doOrPropose(ctx, person, 'account rotate', args)) ? 'proposed' : 'done'
  },
})

/** `shops`: a function, and so no part of what the person has seen. A shop that is typed is among them only once it was typed. */
type OfMerchants = Stable & { shops(): Option[] }

/** One shop more than a field offers, and the one that was typed then. */
async function shopsFor(
  { ctx, visit }: Scene,
  inUse: readonly string[],
  allowed: boolean,
): Promise<Option[]> {
  const shopsMax = CHOSEN_MAX + 1
  const typed = visit.form.merchant?.trim() ?? ''
  const isMeant = inUse.includes(typed) !== allowed
  const [first, one] = await Promise.all([
    allowed
      ? listMerchantsBesides(ctx.db, inUse, shopsMax)
      : listMerchantNames(ctx.db, inUse.slice(0, shopsMax)),
    listMerchantNames(ctx.db, isMeant ? [typed] : []),
  ])
  return [...new Map([...first, ...one])].sort()
}

/** Letting a shop use an account of the deployment, and ending that. */
const sharing = ({ name, allowed }: { name: SettingName; allowed: boolean }) =>
  setting<OfMerchants>({
    name,
    needs: 'account allow',
    place: 'account',
    group: 'setAccount',
    blames: 'merchant',
    async present(scene) {
      const found = await ofAccount(scene)
      const shops = await shopsFor(scene, found.account.merchants ?? [], allowed)
      return { ...stable(found), shops: () => shops }
    },
    whyNot({ owner, shared, shops }) {
      if (owner !== null) return 'setOwnAccount'
      return shared ? 'setSharedAccount' : shops().length === 0 ? 'setShopsNone' : null
    },
    fields: ({ shops }) => [{ name: 'merchant', label: 'userShop', kind: 'choice', options: shops() }],
    changes: ({ merchant = '' }, { shops }, { visit: { locale } }) => {
      const shop = shops().find(([id]) => id === merchant)?.[1] ?? merchant
      const may = say(locale, 'setMayUse')
      return [[{ as: shop }, allowed ? null : may, allowed ? may : null]]
    },
    async rehearse(ctx, { merchant = '' }, { about }) {
      const args = { accountId: about, merchantId: merchant, allowed }
      await doOrRehearse(ctx, { dryRun: true }, (own) => allowAccount(own, args))
      return []
    },
    async run(ctx, { merchant = '' }, { about }, person) {
      const args = { accountId: about, merchantId: merchant, allowed }
      return 'proposed' in (await doOrPropose(ctx, person, 'account allow', args)) ? 'proposed' : 'done'
    },
  })

export const ACCOUNT_ACTS: readonly SettingAct[] = [
  set,
  rotate,
  sharing({ name: 'account_allow', allowed: true }),
  sharing({ name: 'account_forbid', allowed: false }),
]
