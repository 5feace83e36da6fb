/**
 * The acts on people, who are those of all worlds. Those who may propose or grant need a second person while any world has a limit.
 * Otherwise one administrator could add somebody, or reset a colleague, use the link, and be the second person too.
 * Rule: nobody but its new owner sees a whole link or key. The proposer gets the first half, and whoever grants gets the second.
 */
import { z } from 'zod'
import { addUser, type Changed, getPerson, isBound, removeUser } from '../../access/users.ts'
import { isDecider, USER_ROLES } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { isRaised as isLimitRaised } from '../../merchants/token-limits.ts'
import { versionOf } from '../../merchants/version.ts'
import { textFact, tickFact } from '../../operator/approvals/facts.ts'
import { givenFacts, personFact } from '../../operator/approvals/person-facts.ts'
import { suggestRefundLimits } from '../../operator/approvals/suggested.ts'
import { presentPerson } from '../../operator/views/person.ts'
import { amountsText } from '../../payments/money.ts'
import { type AnyRow, act } from '../act.ts'
import { bound, oneOfNeeded, oneOfOrNone, text, tick } from '../input.ts'
import type { Scene } from '../scene.ts'
import {
  AS_IT_IS,
  begin,
  change,
  changed,
  expecting,
  expectSomebody,
  hasPersonMoved,
  isTrusted,
  OPENED,
  othersThan,
  PERSON,
  RIGHTS,
  rankOf,
  returnsMoney,
  stakeOf,
  stateOf,
} from './person-stake.ts'

/** The console has pages of its own for people. */
const onPerson = {
  everyWorld: true,
  halves: ({ link, key }: Changed) => ({ link, key }),
  result: async (_ctx: Context, done: Changed) => resultOf(done),
} as const

/** `isNew`: the person has no other link yet. */
function resultOf({ key, link, isLinkEnded, ...about }: Changed, isNew = false) {
  const opened = { ...(key && { key }), ...(link && { link }) }
  return {
    facts: { user: presentPerson(about), ...(isLinkEnded && { isLinkEnded }) },
    shownOnce: opened,
    textValues: {
      userId: about.operator.id,
      opened: Object.keys(opened).join('_and_') || 'none',
      isLinkEnded: String(isLinkEnded),
      lacksLink: String(isNew && about.user !== null && !link),
      suggested: 'none',
    },
  }
}

/** For the examples: no two people have one name. */
const nameIn = ({ merchantId }: Scene) => `Ani ${merchantId.slice(-12)}`

export const add = act('user add', {
  name: text({ placeholder: 'N' }),
  role: oneOfNeeded(USER_ROLES, { placeholder: 'R' }),
  ...RIGHTS,
  isKeyless: bound(z.boolean().optional()),
  ...OPENED,
})({
  ...onPerson,
  shows: {
    name: ({ args }) => textFact('name', args.name),
    role: ({ args }) => textFact('role', args.role),
    email: ({ args }) => textFact('email', args.email),
    merchantId: ({ ctx, args }) => givenFacts(ctx, null, { merchantId: args.merchantId ?? null }),
    refundLimits: ({ ctx, args }) => givenFacts(ctx, null, { refundLimits: args.refundLimits ?? null }),
    refundLimitsDay: ({ ctx, args }) =>
      givenFacts(ctx, null, { refundLimitsDay: args.refundLimitsDay ?? null }),
    isKeyless: ({ args }) => tickFact('noKey', args.isKeyless),
    seen: 'bound',
    // Nobody but the new owner gets a whole link or key.
    starts: 'bound',
  },
  secondPerson: {
    async stake(ctx, args, person) {
      const { name, role, email, merchantId = null, isKeyless } = args
      // While nobody else could grant anything, the second one of those who may is added by the first one alone.
      const isSecond = isDecider({ role }) && (await othersThan(ctx, person)).length === 0
      const isNeeded = isTrusted(role) && !isSecond
      if (isNeeded) expectSomebody(await othersThan(ctx, person))
      const makes = { link: email !== undefined, key: !isKeyless && !isBound(role, merchantId) }
      const about = [name, role, ...changed(email), ...changed(merchantId)].join(', ')
      return stakeOf(ctx, { about, args, isNeeded, makes, run: addUser })
    },
    // A name or an address that was taken meanwhile refuses the act itself.
    hasMoved: async () => false,
  },
  run: (ctx, args) => addUser(ctx, args),
  async result(ctx, added) {
    const result = resultOf(added, true)
    const { operator, user } = added
    if (!returnsMoney(operator.role) || user === null || user.refundLimits !== null) return result
    const { facts, shownOnce, textValues } = result
    const refundLimits = await suggestRefundLimits(ctx)
    const flags = Object.entries(refundLimits).map(
      ([currency, minor]) => ` --refund-limit "${amountsText({ [currency]: minor })}"`,
    )
    return {
      facts: { ...facts, suggested: { refundLimits } },
      shownOnce,
      textValues: { ...textValues, suggested: flags.join('') },
    }
  },
  helpExamples: [
    '--name "Ani Petrosyan" --role administrator --email ani@pay.example',
    '--name Davit --role shop --email davit@shop.example --merchant mer_01... --refund-limit "100.00 USD"',
  ],
  examples: async (scene) => [
    { name: nameIn(scene), role: 'operator' },
    { name: `${nameIn(scene)} 2`, role: 'cashier', email: scene.email(), merchantId: scene.merchantId },
  ],
})

export const set = act('user set', {
  ...PERSON,
  role: oneOfOrNone(USER_ROLES, { placeholder: 'R' }),
  ...RIGHTS,
  isNewKey: tick({ flag: 'newKey' }),
  // Whatever the person signed in with before ends.
  ends: bound(z.boolean().optional()),
})({
  ...onPerson,
  shows: {
    user: ({ ctx, args }) => personFact(ctx, args.user),
    // What stays as it is counts too: a new role has the limit that the person has.
    role: ({ ctx, args }) => givenFacts(ctx, args.user, { role: args.role }),
    merchantId: ({ ctx, args }) => givenFacts(ctx, args.user, { merchantId: args.merchantId }),
    refundLimits: ({ ctx, args }) => givenFacts(ctx, args.user, { refundLimits: args.refundLimits }),
    refundLimitsDay: ({ ctx, args }) => givenFacts(ctx, args.user, { refundLimitsDay: args.refundLimitsDay }),
    email: ({ ctx, args }) => givenFacts(ctx, args.user, { email: args.email }),
    isNewKey: ({ args }) => tickFact('newKey', args.isNewKey),
    ends: ({ args }) => tickFact('newLink', args.ends),
    seen: 'bound',
    starts: 'bound',
  },
  secondPerson: {
    async stake(ctx, args, person) {
      const { operator, user } = await getPerson(ctx, args.user)
      expecting(args.seen)({ operator, user })
      const { role = operator.role, email, isNewKey = false } = args
      const { merchantId = user?.merchantId ?? null } = args
      const others = await othersThan(ctx, person)
      const isRaised = rankOf(role) > rankOf(operator.role)
      const isSecond = isRaised && isDecider({ role }) && others.length === 0
      // One person alone can add or reset somebody without rights, and so may hold that link or key. It ends, as if the person were new.
      const isNewcomer = isRaised && !isSecond && !isTrusted(operator.role)
      const makes = {
        link: user === null ? email !== undefined : isNewcomer,
        key: (isNewKey || (isNewcomer && operator.hasKey)) && !isBound(role, merchantId),
      }
      const opens = (makes.link || makes.key) && operator.id !== person?.id
      // Somebody of another shop, or with a higher limit, can move money that the person could not move before.
      const isMoved = merchantId !== (user?.merchantId ?? null) && merchantId !== null
      const now = { refundLimits: user?.refundLimits ?? null, refundLimitsDay: user?.refundLimitsDay ?? null }
      const { refundLimits = now.refundLimits, refundLimitsDay = now.refundLimitsDay } = args
      const isLarger = isLimitRaised(now, { refundLimits, refundLimitsDay })
      const isNeeded = isTrusted(role) && ((isRaised && !isSecond) || opens || isMoved || isLarger)
      if (isNeeded) expectSomebody(opens ? others.filter(({ id }) => id !== operator.id) : others)
      const about = [
        `${operator.name} (${operator.id})`,
        ...changed(role !== operator.role && `${operator.role} to ${role}`),
        ...changed(isMoved && `to ${merchantId}`),
        ...changed(isLarger && 'a higher limit'),
        ...changed(makes.key && 'a new key'),
        ...changed(email !== undefined && email !== user?.email && email),
      ].join(', ')
      const known = { ...args, user: operator.id, seen: versionOf(stateOf({ operator, user })) }
      const changes = isNewcomer ? { ...known, ends: true, isNewKey: makes.key } : known
      return stakeOf(ctx, { about, args: changes, isNeeded, makes, run: change })
    },
    hasMoved: hasPersonMoved,
  },
  run: (ctx, args) => change(ctx, args),
  helpExamples: [
    '--user Davit --role operator --merchant all',
    '--user Davit --new-key',
    '--user Davit --refund-limit none',
  ],
  examples: async (scene) => [
    { user: await scene.person('cashier'), role: 'shop' },
    { user: await scene.person('shop'), refundLimits: scene.limits[0] },
    { user: await scene.person('operator'), isNewKey: true },
  ],
})

export const reset = act(
  'user reset',
  PERSON,
)({
  ...onPerson,
  shows: {
    user: async ({ ctx, args }) => [
      ...(await personFact(ctx, args.user)),
      ...(await givenFacts(ctx, args.user, AS_IT_IS)),
      ...tickFact('newLink', true),
    ],
    seen: 'bound',
    starts: 'bound',
  },
  secondPerson: {
    async stake(ctx, args, person) {
      const { operator, user } = await getPerson(ctx, args.user)
      expecting(args.seen)({ operator, user })
      const isNeeded = isTrusted(operator.role) && operator.id !== person?.id
      if (isNeeded) expectSomebody((await othersThan(ctx, person)).filter(({ id }) => id !== operator.id))
      const known = { user: operator.id, seen: versionOf(stateOf({ operator, user })) }
      const makes = { link: user !== null, key: false }
      const about = `${operator.name} (${operator.id})`
      return stakeOf(ctx, { about, args: known, isNeeded, makes, run: begin })
    },
    hasMoved: hasPersonMoved,
  },
  run: (ctx, args) => begin(ctx, args),
  result: async (_ctx, done) => resultOf(done, true),
  helpExamples: ['--user Davit'],
  examples: async (scene) => [{ user: await scene.person('operator') }],
})

/** Removing a person is never guarded. Two who may grant stay while a limit is set. */
export const remove = act(
  'user remove',
  PERSON,
)({
  ...onPerson,
  shows: { user: ({ ctx, args }) => personFact(ctx, args.user), seen: 'bound', starts: 'bound' },
  async run(ctx, { user, seen: known }) {
    expecting(known)(await getPerson(ctx, user))
    const operator = await removeUser(ctx, user)
    return { operator, user: null, key: null, link: null, isLinkEnded: false }
  },
  helpExamples: ['--user Davit'],
  examples: async (scene) => [{ user: await scene.person('cashier') }],
})

export const PEOPLE_ACTS: readonly AnyRow[] = [add, set, reset, remove]
