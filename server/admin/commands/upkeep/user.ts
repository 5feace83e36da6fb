/** `user`: the people who operate this deployment or a shop, their personal keys and their links to the console. */

import { type Changed, changeUser, listEverybody } from '../../../access/users.ts'
import { type OperatorRecord, USER_ROLES, type UserRole } from '../../../audit/people.ts'
import { doOrPropose } from '../../../operator/approvals/approvals.ts'
import { suggestRefundLimits } from '../../../operator/approvals/suggested.ts'
import { amountsText } from '../../../payments/money.ts'
import { nameOf } from '../../../settings/table.ts'
import type { RefundLimits } from '../../../storage/access/users.ts'
import { mainWorld } from '../../../worlds.ts'
import { refundLimit } from '../../acts/refund-limit.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { optional, optionalChoice, required, requiredChoice, toggle } from '../../flag.ts'
import { counted, listText, moment, pairs, paragraphs } from '../../layout.ts'
import { proposedOutcome } from '../../proposal-text.ts'

// People are those of both worlds. The sandbox beside a live world sends no mail, so their acts run in the main world.

const USER = required('USER', 'the name or the id of the person')
const KEY_ADVICE =
  'The key is shown only now. Its owner sets KASSA_OPERATOR_KEY to it, or KASSA_OPERATOR_KEY_FILE to a file with it that nobody else can read.'
const LINK_ADVICE =
  'The link is shown only now. It works once, for a day: with it its owner sets up the sign-in.'
const ROLE_HELP =
  'a viewer changes nothing, a cashier sees the payments of one shop, a shop also refunds, an operator decides about money and settings of all merchants, an administrator may do everything'
const EMAIL = optional('E', 'the e-mail address, with which the person signs in to the console')
const MERCHANT = optional(
  'ID',
  'the only merchant that the person sees (mer_...); for shop, cashier and viewer',
)
const REFUND_LIMITS = {
  refundLimit: refundLimit('the most that the person may refund of one payment; none: no limit'),
  refundLimitDay: refundLimit(
    'the most that the person may refund in a day; none: the limit of one payment holds for the day too',
  ),
}

const add = verb({
  name: 'add',
  needs: 'administrator',
  summary: 'Add a person; prints a key or a link to the console once',
  flags: {
    name: required('N', 'the name in the audit log'),
    role: requiredChoice('R', ROLE_HELP, USER_ROLES),
    email: EMAIL,
    merchant: MERCHANT,
    ...REFUND_LIMITS,
  },
  examples: [
    '--name "Ani Petrosyan" --role administrator --email ani@pay.example',
    '--name Davit --role shop --email davit@shop.example --merchant mer_01... --refund-limit "100.00 USD"',
  ],
  async run(
    _ctx,
    { merchant, refundLimit: refundLimits, refundLimitDay: refundLimitsDay, ...given },
    { person, worlds },
  ) {
    const values = { ...given, merchantId: merchant, refundLimits, refundLimitsDay }
    const decided = await doOrPropose(mainWorld(worlds), person, 'user add', values)
    if ('proposed' in decided) return proposedOutcome(decided.proposed, decided.handover)
    const added = describe('Added the person.', decided.done)
    const { operator, user } = decided.done
    if (!RETURNS.includes(operator.role) || user === null || user.refundLimits !== null) return added
    const suggested = await suggestRefundLimits(mainWorld(worlds))
    return {
      json: { ...added.json, suggested: { refundLimits: suggested } },
      text: paragraphs(added.text, suggestion(operator.id, suggested)),
    }
  },
})

const list = verb({
  name: 'list',
  needs: 'administrator',
  reads: true,
  summary: 'List the people, removed ones too',
  flags: {},
  examples: [''],
  async run(ctx) {
    const people = await listEverybody(ctx)
    const rows = people.map(({ operator: { id, name, role, removedAt }, user }) => [
      ...[id, name, role, user?.email ?? '-', user?.merchantId ?? 'all'],
      removedAt ? `removed ${moment(removedAt)}` : 'present',
    ])
    const text = listText(
      ['User', 'Name', 'Role', 'E-mail', 'Merchants', 'State'],
      rows,
      `Nobody was added yet. Commands need no key, and the audit log has the login name. Add the first: ${ADMIN} user add --name N --role administrator --email E`,
      counted(people.length, 'person', 'people'),
    )
    return { json: { users: people.map(present) }, text }
  },
})

const set = verb({
  name: 'set',
  needs: 'administrator',
  summary: 'Change what a person may do, or replace the key',
  flags: {
    user: USER,
    role: optionalChoice('R', ROLE_HELP, USER_ROLES),
    email: EMAIL,
    merchant: optional('ID', 'the only merchant that the person sees (mer_...), or all'),
    ...REFUND_LIMITS,
    newKey: toggle('print a new key; the old one is refused from now on'),
  },
  examples: [
    '--user Davit --role operator --merchant all',
    '--user Davit --new-key',
    '--user Davit --refund-limit none',
  ],
  async run(
    _ctx,
    { merchant, refundLimit: refundLimits, refundLimitDay: refundLimitsDay, ...more },
    { person, worlds },
  ) {
    const { newKey: isNewKey, ...given } = more
    const merchantId = merchant === 'all' ? null : merchant
    const wish = { ...given, merchantId, refundLimits, refundLimitsDay, isNewKey }
    const decided = await doOrPropose(mainWorld(worlds), person, 'user set', wish)
    if ('proposed' in decided) return proposedOutcome(decided.proposed, decided.handover)
    return describe(null, decided.done)
  },
})

const reset = verb({
  name: 'reset',
  needs: 'administrator',
  summary: 'End how a person signs in, and print a new link',
  flags: { user: USER },
  examples: ['--user Davit'],
  async run(_ctx, { user }, { person, worlds }) {
    const decided = await doOrPropose(mainWorld(worlds), person, 'user reset', { user })
    if ('proposed' in decided) return proposedOutcome(decided.proposed, decided.handover)
    return describe('Every session has ended. Passkeys, the password and the codes are gone.', decided.done)
  },
})

const recover = verb({
  name: 'recover',
  needs: 'host',
  summary: 'Print a new key and link for who has lost them; needs no key',
  flags: { user: USER },
  examples: ['--user "Ani Petrosyan"'],
  async run(_ctx, { user }, { worlds }) {
    return describe(null, await changeUser(mainWorld(worlds), user, { isNewKey: true, ends: true }))
  },
})

const remove = verb({
  name: 'remove',
  needs: 'administrator',
  summary: 'Remove a person; the key and every session end at once',
  flags: { user: USER },
  examples: ['--user Davit'],
  async run(_ctx, { user }, { person, worlds }) {
    const decided = await doOrPropose(mainWorld(worlds), person, 'user remove', { user })
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const operator = decided.done
    return {
      json: { user: present({ operator, user: null }) },
      text: paragraphs(
        'Removed the person. The name stays in the audit log.',
        pairs(lines({ operator, user: null })),
      ),
    }
  },
})

/** Whoever has one of these roles returns money. */
const RETURNS: readonly UserRole[] = ['shop', 'operator', 'administrator']

function suggestion(id: string, suggested: RefundLimits): string {
  const limits = Object.entries(suggested).map(
    ([currency, minor]) => `"${amountsText({ [currency]: minor })}"`,
  )
  return `The person has no limit of refunds. If you want one, such as the suggested: ${ADMIN} user set --user ${id} --refund-limit ${limits.join(' --refund-limit ')}`
}

function describe(head: string | null, { key, link, isLinkEnded, ...about }: Changed) {
  const hasNoLink = about.user && !link && head !== null
  return {
    json: {
      user: present(about),
      ...(key && { key }),
      ...(link && { link }),
      ...(isLinkEnded && { isLinkEnded }),
    },
    text: paragraphs(
      head,
      pairs([
        ...lines(about),
        ...(key ? [['Key', key] as [string, string]] : []),
        ...(link ? [['Link', link] as [string, string]] : []),
      ]),
      key && KEY_ADVICE,
      link && LINK_ADVICE,
      isLinkEnded &&
        `The link that was made for the earlier address does not work any more. Make a new one: ${ADMIN} user reset --user ${about.operator.id}`,
      hasNoLink &&
        `The console is off, so there is no link. Set ${nameOf('consolePort')} and ${nameOf('consoleBaseUrl')}, then: ${ADMIN} user reset --user ${about.operator.id}`,
    ),
  }
}

type Shown = Pick<Changed, 'operator' | 'user'>

function lines({ operator: { id, name, role }, user }: Shown): [string, string][] {
  const { refundLimits, refundLimitsDay } = user ?? {}
  return [
    ['User', id],
    ['Name', name],
    ['Role', role],
    ...(user ? [['E-mail', user.email] as [string, string]] : []),
    ...(user?.merchantId ? [['Merchant', user.merchantId] as [string, string]] : []),
    ...(refundLimits ? [['Refunds up to', amountsText(refundLimits)] as [string, string]] : []),
    ...(refundLimitsDay ? [['In a day up to', amountsText(refundLimitsDay)] as [string, string]] : []),
  ]
}

function present({ operator, user }: { operator: OperatorRecord; user: Changed['user'] }) {
  const { id: userId, name, role, createdAt, removedAt } = operator
  const { email, merchantId, refundLimits, refundLimitsDay } = user ?? {}
  const ofUser = { email, merchantId, refundLimits, refundLimitsDay }
  return { userId, name, role, createdAt, removedAt, ...(user && ofUser) }
}

export const user: Noun = {
  name: 'user',
  summary: 'Add, change and remove who uses the console and commands',
  verbs: [add, list, set, reset, recover, remove],
}
