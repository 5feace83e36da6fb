/**
 * People for whom a second person is needed while any world has a limit: those who may propose or grant. Otherwise one administrator
 * could add somebody, or reset a colleague, use the link, and be the second person too.
 * Rule: nobody but its new owner sees a whole link or key. The proposer gets the first half, and whoever grants gets the second.
 */
import { linkOf } from '../../access/link.ts'
import { newStart } from '../../access/secret.ts'
import {
  addUser,
  type Changed,
  changeUser,
  getPerson,
  isBound,
  type NewUser,
  removeUser,
  type Starts,
  type UserChanges,
} from '../../access/users.ts'
import { isDecider, listDeciders, type OperatorRecord, type UserRole } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isRaised as isLimitRaised } from '../../merchants/token-limits.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import type { UserRecord } from '../../storage/access/users.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { textFact, tickFact } from './facts.ts'
import { findPerson, givenFacts, personFact } from './person-facts.ts'
import type { Guarded, ProposalReader, Proposer, Stake } from './stake.ts'

/** The roles that may propose or grant, the lowest first. */
const TRUSTED: readonly UserRole[] = ['shop', 'operator', 'administrator']
const rankOf = (role: UserRole) => TRUSTED.indexOf(role)
const isTrusted = (role: UserRole) => rankOf(role) >= 0

/** `seen`: the person as the proposer saw it. */
type SeenPerson = { starts?: Starts; seen?: string }
type PersonArgs<Args> = { user: string } & Args & SeenPerson

type PersonAct<Args> = {
  about: string
  args: Args
  isNeeded: boolean
  makes?: { link: boolean; key: boolean }
  /** Does it, to find out what is wrong with it. Nothing of it stays. */
  run(ctx: Context, args: Args): Promise<unknown>
}

async function stakeOf<Args extends object>(
  ctx: Context,
  { about, args, isNeeded, makes, run }: PersonAct<Args>,
): Promise<Stake<Args & SeenPerson>> {
  const stake = { money: null, merchantId: null, about }
  if (!isNeeded) return { ...stake, args, isFree: true }
  await rehearsed(ctx.db, (db) => run({ ...ctx, db }, args))
  if (!makes) return { ...stake, args }
  const starts = { link: newStart(), key: newStart() }
  const link = makes.link ? linkOf(ctx, starts.link) : null
  const handover = { ...(link && { link }), ...(makes.key && { key: `kop_${starts.key}` }) }
  return { ...stake, args: { ...args, starts }, handover }
}

/** Everybody who could grant what the person proposes. */
const othersThan = async (ctx: Context, person: Proposer | null) =>
  (await listDeciders(ctx.db)).filter(({ id }) => id !== person?.id)

/** @throws AppError where nobody could ever grant it */
function expectSomebody(others: OperatorRecord[]): void {
  if (others.length > 0) return
  throw new AppError('validation_failed', {
    reason: 'nobody_else',
    message:
      'This needs a second person, and nobody else may grant it. Add another operator or administrator first. Whoever may run commands on the machine can give somebody a new key and link.',
  })
}

const changed = (what: string | null | false | undefined) => (what ? [what] : [])
const halves = ({ link, key }: Changed) => ({ link, key })

const add: Guarded<NewUser & SeenPerson, Changed> = {
  everyWorld: true,
  async stake(ctx, args, person) {
    const { name, role, email, merchantId = null, isKeyless } = args
    // While nobody else could grant anything, the second one of those who may is added by the first one alone.
    const isSecond = isDecider({ role }) && (await othersThan(ctx, person)).length === 0
    const isNeeded = isTrusted(role) && !isSecond
    if (isNeeded) expectSomebody(await othersThan(ctx, person))
    const makes = { link: email !== undefined, key: !isKeyless && !isBound(role, merchantId) }
    const about = [name, role, ...changed(email), ...changed(merchantId)].join(', ')
    return stakeOf(ctx, { about, args, isNeeded, makes, run: (own, given) => addUser(own, given) })
  },
  // A name or an address that was taken meanwhile refuses the act itself.
  hasMoved: async () => false,
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
  halves,
  run: (ctx, args) => addUser(ctx, args),
}

/** `ends`: whatever the person signed in with before ends. */
type Changing = PersonArgs<UserChanges & { ends?: boolean }>

const set: Guarded<Changing, Changed> = {
  everyWorld: true,
  async stake(ctx, args, person) {
    const { operator, user } = await getPerson(ctx, args.user)
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
    const bound = { ...args, user: operator.id, seen: versionOf(stateOf({ operator, user })) }
    const changes = isNewcomer ? { ...bound, ends: true, isNewKey: makes.key } : bound
    return stakeOf(ctx, { about, args: changes, isNeeded, makes, run: change })
  },
  hasMoved: hasPersonMoved,
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
  halves,
  run: (ctx, args) => change(ctx, args),
}

const reset: Guarded<PersonArgs<object>, Changed> = {
  everyWorld: true,
  async stake(ctx, args, person) {
    const { operator, user } = await getPerson(ctx, args.user)
    const isNeeded = isTrusted(operator.role) && operator.id !== person?.id
    if (isNeeded) expectSomebody((await othersThan(ctx, person)).filter(({ id }) => id !== operator.id))
    const bound = { user: operator.id, seen: versionOf(stateOf({ operator, user })) }
    const makes = { link: user !== null, key: false }
    const about = `${operator.name} (${operator.id})`
    return stakeOf(ctx, { about, args: bound, isNeeded, makes, run: begin })
  },
  hasMoved: hasPersonMoved,
  shows: {
    async user({ ctx, args }) {
      const given = {
        role: undefined,
        merchantId: undefined,
        refundLimits: undefined,
        refundLimitsDay: undefined,
        email: undefined,
      }
      return [
        ...(await personFact(ctx, args.user)),
        ...(await givenFacts(ctx, args.user, given)),
        ...tickFact('newLink', true),
      ]
    },
    seen: 'bound',
    starts: 'bound',
  },
  halves,
  run: (ctx, args) => begin(ctx, args),
}

/** Removing a person is never guarded. Two who may grant stay while a limit is set. */
const remove: Guarded<PersonArgs<object>, OperatorRecord> = {
  everyWorld: true,
  async stake(ctx, args) {
    const { operator, user } = await getPerson(ctx, args.user)
    const bound = { user: operator.id, seen: versionOf(stateOf({ operator, user })) }
    const about = `${operator.name} (${operator.id})`
    return stakeOf(ctx, { about, args: bound, isNeeded: false, run: end })
  },
  hasMoved: hasPersonMoved,
  shows: { user: ({ ctx, args }) => personFact(ctx, args.user), seen: 'bound', starts: 'bound' },
  run: (ctx, args) => end(ctx, args),
}

type FoundPerson = { operator: OperatorRecord; user: UserRecord | null }

/** What binds a proposal to a person. Without a limit of the day it is the same as in versions that know of none. */
function stateOf({ operator, user }: FoundPerson): object {
  if (!user) return { operator, user }
  const { refundLimitsDay, ...rest } = user
  return { operator, user: refundLimitsDay === null ? rest : user }
}

async function hasPersonMoved(ctx: ProposalReader, { user, seen }: PersonArgs<object>): Promise<boolean> {
  const found = await findPerson(ctx, user)
  return seen !== undefined && (found === null || seen !== versionOf(stateOf(found)))
}

const expecting = (seen: string | undefined) => (found: FoundPerson) => {
  if (seen !== undefined) expectSeen(stateOf(found), seen)
}

const change = (ctx: Context, { user, seen, ...wish }: Changing): Promise<Changed> =>
  changeUser(ctx, user, { ...wish, expect: expecting(seen) })

const begin = (ctx: Context, { user, seen, starts }: PersonArgs<object>): Promise<Changed> =>
  changeUser(ctx, user, { ends: true, starts, expect: expecting(seen) })

async function end(ctx: Context, { user, seen }: PersonArgs<object>): Promise<OperatorRecord> {
  expecting(seen)(await getPerson(ctx, user))
  return removeUser(ctx, user)
}

export const GUARDED_PEOPLE = { 'user add': add, 'user set': set, 'user reset': reset, 'user remove': remove }
