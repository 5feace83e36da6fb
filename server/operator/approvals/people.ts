/**
 * People for whom a second person is needed while any world has a limit: those who may propose or grant. Otherwise one administrator
 * could add somebody, or reset a colleague, use the link, and be the second person too.
 * Rule: nobody but its new owner sees a whole link or key. The proposer gets the first half, and whoever grants gets the second.
 */
import { newStart } from '../../access/secret.ts'
import {
  addUser,
  type Changed,
  changeUser,
  getPerson,
  isBound,
  linkOf,
  type NewUser,
  removeUser,
  type Starts,
  type UserWish,
} from '../../access/users.ts'
import {
  isDecider,
  listDeciders,
  type OperatorRecord,
  type Person,
  type UserRole,
} from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import type { Guarded, Stake } from './stake.ts'

/** The roles that may propose or grant, the lowest first. */
const TRUSTED: readonly UserRole[] = ['shop', 'operator', 'administrator']
const rankOf = (role: UserRole) => TRUSTED.indexOf(role)
const isTrusted = (role: UserRole) => rankOf(role) >= 0

/** `seen`: the person as the proposer saw it. `keepsTwo`: one person alone does it, so two must be left who may grant. */
type Bound = { starts?: Starts; seen?: string; keepsTwo?: boolean }
type Of<Args> = { user: string } & Args & Bound

type Asked<Args> = {
  about: string
  args: Args
  isNeeded: boolean
  makes?: { link: boolean; key: boolean }
  /** Does it, to find out what is wrong with it. Nothing of it stays. */
  run(ctx: Context, args: Args): Promise<unknown>
}

async function stakeOf<Args extends object>(
  ctx: Context,
  { about, args, isNeeded, makes, run }: Asked<Args>,
): Promise<Stake<Args & Bound>> {
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
const othersThan = async (ctx: Context, person: Person | null) =>
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

const add: Guarded<NewUser & Bound, Changed> = {
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
  run: (ctx, args) => addUser(ctx, args),
}

const set: Guarded<Of<UserWish>, Changed> = {
  everyWorld: true,
  async stake(ctx, args, person) {
    const { operator, user } = await getPerson(ctx, args.user)
    const { role = operator.role, email, merchantId, isNewKey = false } = args
    const others = await othersThan(ctx, person)
    const isRaised = isTrusted(role) && rankOf(role) > rankOf(operator.role)
    const isSecond = isRaised && isDecider({ role }) && others.length === 0
    const makes = {
      link: user === null && email !== undefined,
      key: isNewKey && !isBound(role, merchantId === undefined ? (user?.merchantId ?? null) : merchantId),
    }
    const opens = (makes.link || makes.key) && isTrusted(role) && operator.id !== person?.id
    const isLost = await isOneOfTwo(ctx, operator, role)
    const isNeeded = (isRaised && !isSecond) || opens || isLost
    if (isNeeded) expectSomebody(opens ? others.filter(({ id }) => id !== operator.id) : others)
    const about = [
      `${operator.name} (${operator.id})`,
      ...changed(role !== operator.role && `${operator.role} to ${role}`),
      ...changed(makes.key && 'a new key'),
      ...changed(email !== undefined && email !== user?.email && email),
    ].join(', ')
    const bound = { ...args, user: operator.id, seen: versionOf({ operator, user }) }
    return stakeOf(ctx, { about, args: bound, isNeeded, makes, run: change })
  },
  run: (ctx, args) => change(ctx, args),
}

const reset: Guarded<Of<object>, Changed> = {
  everyWorld: true,
  async stake(ctx, args, person) {
    const { operator, user } = await getPerson(ctx, args.user)
    const isNeeded = isTrusted(operator.role) && operator.id !== person?.id
    if (isNeeded) expectSomebody((await othersThan(ctx, person)).filter(({ id }) => id !== operator.id))
    const bound = { user: operator.id, seen: versionOf({ operator, user }) }
    const makes = { link: user !== null, key: false }
    const about = `${operator.name} (${operator.id})`
    return stakeOf(ctx, { about, args: bound, isNeeded, makes, run: begin })
  },
  run: (ctx, args) => begin(ctx, args),
}

const remove: Guarded<Of<object>, OperatorRecord> = {
  everyWorld: true,
  async stake(ctx, args) {
    const { operator, user } = await getPerson(ctx, args.user)
    const isNeeded = await isOneOfTwo(ctx, operator, 'viewer')
    const bound = { user: operator.id, seen: versionOf({ operator, user }) }
    const about = `${operator.name} (${operator.id})`
    return stakeOf(ctx, { about, args: bound, isNeeded, run: end })
  },
  run: (ctx, args) => end(ctx, args),
}

/** Whether the role ends that of one of the last two who may grant. The one who is left could add a second one alone. */
async function isOneOfTwo({ db }: Context, operator: OperatorRecord, role: UserRole): Promise<boolean> {
  return isDecider(operator) && !isDecider({ role }) && (await listDeciders(db)).length === 2
}

async function expectSame(ctx: Context, { user, seen }: Of<object>): Promise<void> {
  if (seen !== undefined) expectSeen(await getPerson(ctx, user), seen)
}

async function change(ctx: Context, args: Of<UserWish>): Promise<Changed> {
  await expectSame(ctx, args)
  const { user, seen: _seen, ...wish } = args
  return changeUser(ctx, user, wish)
}

async function begin(ctx: Context, args: Of<object>): Promise<Changed> {
  await expectSame(ctx, args)
  return changeUser(ctx, args.user, { ends: true, starts: args.starts })
}

async function end(ctx: Context, args: Of<object>): Promise<OperatorRecord> {
  await expectSame(ctx, args)
  return removeUser(ctx, args.user, { keepsTwo: args.keepsTwo })
}

export const GUARDED_PEOPLE = { 'user add': add, 'user set': set, 'user reset': reset, 'user remove': remove }
