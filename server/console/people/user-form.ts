/** Adding a person, and changing what a person may do. Both ask for the second factor, as they decide who gets in. */

import type { UserValues } from '../../access/users.ts'
import * as ROWS from '../../acts/rows/people.ts'
import { USER_ROLES, type UserRole } from '../../audit/people.ts'
import { suggestRefundLimits } from '../../operator/approvals/suggested.ts'
import { html, type Markup } from '../../pages/html.ts'
import { amountsText } from '../../payments/money.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import { listMerchantPage } from '../../storage/merchants/merchants.ts'
import { field, hiddenFields, type Option, selectField, textArea } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen, Shown } from '../page.ts'
import { backTo, narrowScreen } from '../page-parts.ts'
import { refusalOf } from '../refusals.ts'
import { readLimits } from '../typed-amount.ts'
import { translate } from '../words/translate.ts'
import { viewOf } from '../world.ts'
import { actOnPerson, type FoundUser, findPerson } from './users.ts'

/** With more shops than these the number of the shop is typed. */
const SHOPS_CHOSEN_MAX = 100

type Given = { role: UserRole; email: string; merchantId: string | null } & Required<
  Pick<UserValues, 'refundLimits' | 'refundLimitsDay'>
>

/** Returns what is wrong as a text for the person. */
function readForm({ form, locale }: OwnVisit, suggested: RefundLimits): Given | string {
  const role = USER_ROLES.find((each) => each === form.role)
  if (!role) return translate(locale, 'refused_personMerchant')
  // A new person gets only the limits that the person who adds them chooses.
  if (form.limitChoice === '') return translate(locale, 'userLimitMissing')
  const isTyped = form.limitChoice === undefined || form.limitChoice === 'own'
  const refundLimits =
    form.limitChoice === 'suggested' ? suggested : readLimits(isTyped ? (form.limits ?? '') : '')
  const refundLimitsDay = readLimits(isTyped ? (form.limitsDay ?? '') : '')
  if (refundLimits === undefined || refundLimitsDay === undefined) return translate(locale, 'userLimitsWrong')
  return {
    role,
    refundLimits,
    refundLimitsDay,
    email: form.email?.trim() ?? '',
    merchantId: form.shop?.trim() || null,
  }
}

async function fieldsOf(visit: OwnVisit, found: FoundUser | null): Promise<Markup> {
  const { locale, form } = visit
  const { ctx } = await viewOf(visit)
  const first = { after: '', part: null, limit: SHOPS_CHOSEN_MAX }
  const { rows: shops, next } = await listMerchantPage(ctx.db, first)
  const isSent = form.role !== undefined
  const value = (name: string, stored: string) => (isSent ? (form[name] ?? '') : stored)
  const shop = value('shop', found?.user?.merchantId ?? '')
  const choices: Option[] = [
    ['', translate(locale, 'userAllShops')],
    ...shops.map(({ id, name }) => [id, name] as const),
  ]
  const roles = USER_ROLES.map((each) => [each, translate(locale, `role_${each}`)] as const)
  return html`
    ${found === null ? field({ name: 'name', label: translate(locale, 'userName'), value: form.name ?? '', hint: translate(locale, 'userNameHint') }) : null}
    ${field({ name: 'email', label: translate(locale, 'email'), type: 'email', value: value('email', found?.user?.email ?? '') })}
    ${selectField('role', translate(locale, 'userRole'), roles, value('role', found?.operator.role ?? 'cashier'))}
    ${
      next !== null
        ? field({
            name: 'shop',
            label: translate(locale, 'userShop'),
            value: shop,
            isOptional: true,
            hint: translate(locale, 'userShopHint'),
          })
        : selectField('shop', translate(locale, 'userShop'), choices, shop)
    }
    ${found === null ? limitChoice(visit, await suggestRefundLimits(ctx)) : null}
    ${textArea({
      name: 'limits',
      label: translate(locale, 'userLimits'),
      hint: translate(locale, 'userLimitsHint'),
      value: value('limits', amountsText(found?.user?.refundLimits, '\n')),
      isOptional: true,
    })}
    ${textArea({
      name: 'limitsDay',
      label: translate(locale, 'userLimitsDay'),
      hint: translate(locale, 'userLimitsDayHint'),
      value: value('limitsDay', amountsText(found?.user?.refundLimitsDay, '\n')),
      isOptional: true,
    })}`
}

/** Nothing is chosen beforehand, so the person accepts or declines what is suggested. */
function limitChoice({ locale, form }: OwnVisit, suggested: RefundLimits): Markup {
  const choices: Option[] = [
    ['', translate(locale, 'userLimitChoose')],
    ['suggested', translate(locale, 'userLimitSuggested', { limits: amountsText(suggested) })],
    ['own', translate(locale, 'userLimitOwn')],
    ['none', translate(locale, 'userLimitNone')],
  ]
  return selectField('limitChoice', translate(locale, 'userLimitChoice'), choices, form.limitChoice ?? '')
}

async function addScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, params } = visit
  const title = translate(locale, 'userAdd')
  const body = html`<form method="post" class="fields">
      ${await fieldsOf(visit, null)}
      <button class="button">${translate(locale, 'userAddDo')}</button>
    </form>
    ${backTo(`/${params.world}/users`, translate(locale, 'usersTitle'))}`
  return narrowScreen({ title, body, problem })
}

async function personScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, query, user: self } = visit
  const found = await findPerson(visit)
  const { operator, user, seen, path, list } = found
  const facts = [
    operator.id === self.id ? translate(locale, 'userIsYou') : null,
    user ? null : translate(locale, 'userNoConsole'),
    operator.hasKey ? translate(locale, 'userHasKey') : null,
  ]
  const notice = query.done
    ? translate(locale, query.done === 'linkEnded' ? 'userLinkEnded' : 'userSaved')
    : null
  const body = html`<p class="lead">${facts.filter((fact) => fact !== null).join(' ')}</p>
    <form method="post" class="fields">
      ${hiddenFields({ seen })} ${await fieldsOf(visit, found)}
      <button class="button">${translate(locale, 'userSave')}</button>
    </form>
    ${user ? html`<p><a class="button quiet" href=${`${path}/reset`}>${translate(locale, 'userReset')}</a></p>` : null}
    <p><a class="button quiet" href=${`${path}/remove`}>${translate(locale, 'userRemove')}</a></p>
    ${backTo(list, translate(locale, 'usersTitle'))}`
  return narrowScreen({ title: operator.name, body, isName: true, problem, notice })
}

type Done = (given: Given) => Promise<Shown>

async function answer(
  visit: OwnVisit,
  screen: (visit: OwnVisit, problem?: string) => Promise<Screen>,
  done: Done,
): Promise<Shown> {
  const given = readForm(visit, await suggestRefundLimits((await viewOf(visit)).ctx))
  if (typeof given === 'string') return screen(visit, given)
  try {
    return await done(given)
  } catch (error) {
    return screen(visit, refusalOf(visit.locale, error))
  }
}

function add(visit: OwnVisit, given: Given): Promise<Shown> {
  const name = visit.form.name?.trim() ?? ''
  const list = `/${visit.params.world}/users`
  // A key for the commands is made on the command line, for people who need one.
  return actOnPerson(visit, ROWS.add, {
    given: { ...given, name, isKeyless: true },
    about: 'user',
    name,
    list,
  })
}

async function change(visit: OwnVisit, given: Given): Promise<Shown> {
  const { path, list, operator } = await findPerson(visit)
  const wish = { ...given, user: operator.id, seen: visit.form.seen ?? '' }
  const to = (isLinkEnded: boolean) => `${path}?done=${isLinkEnded ? 'linkEnded' : 'changed'}`
  return actOnPerson(visit, ROWS.set, { given: wish, about: operator.id, name: operator.name, list, to })
}

const NEW = '/:world/users/new'
const ONE = '/:world/users/:user'

export const USER_FORM_PAGES: readonly ConsolePage[] = [
  { method: 'get', path: NEW, needs: 'user add', handle: (visit: OwnVisit) => addScreen(visit) },
  {
    method: 'post',
    path: NEW,
    needs: 'user add',
    handle: (visit: OwnVisit) => answer(visit, addScreen, (given) => add(visit, given)),
  },
  { method: 'get', path: ONE, needs: 'user list', handle: (visit: OwnVisit) => personScreen(visit) },
  {
    method: 'post',
    path: ONE,
    needs: 'user set',
    handle: (visit: OwnVisit) => answer(visit, personScreen, (given) => change(visit, given)),
  },
]
