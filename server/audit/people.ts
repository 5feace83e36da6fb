/** The people who operate the deployment: their keys, and what each may do. */
import { createHash, randomBytes } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { newSharedId } from '../id.ts'
import { checkName } from '../merchants/text.ts'
import { listUsers } from '../storage/access/users.ts'
import {
  findOperatorByKey,
  hasOperators,
  insertOperator,
  isWaiting,
  listOperators,
  lockOperators,
  type OperatorRecord,
  ROLES,
  type Role,
  type UserRole,
  updateOperator,
} from '../storage/audit/operators.ts'
import { hasAnyLimit } from '../storage/audit/proposals.ts'
import { type Db, inTransaction, type Queryable, type Tx } from '../storage/db.ts'

export { type OperatorRecord, type Role, USER_ROLES, type UserRole } from '../storage/audit/operators.ts'

/** `user`: the login name. `from`: the host or the console. */
export type Caller = { user: string; from: string; readKey(): Promise<string | undefined> }
/** `id`: null for the login name of the host, before the first operator is added. */
export type Person = { id: string | null; name: string; role: UserRole; prove?: ConfirmPerson }
/** An act and all its values, as plain data. */
export type OneAct = { what: string; world: string; args: object }
/**
 * Has the person show once more who it is, for this act alone. The console does so; a key of the command line comes on top of the
 * login on the machine. It throws until the person has shown it.
 */
export type ConfirmPerson = (act: OneAct) => Promise<void>

const NAME_MAX_CHARS = 60
const KEY = /^kop_[\w-]{43}$/

/**
 * Returns who acts. Without a key it is the user of the host, who may do everything, until the first operator is added. In a database
 * with the sandbox alone no key is ever required.
 * @throws AppError validation_failed for a key that is unknown or missing
 */
export async function identify(
  db: Db,
  { user, readKey }: Pick<Caller, 'user' | 'readKey'>,
  { isRequired }: { isRequired: boolean },
): Promise<Person> {
  // A database of an earlier version has no operators.
  if (!(await hasOperators(db))) return hostPerson({ user })
  const key = await readKey()
  if (key === undefined) {
    const isUsed =
      isRequired && (await listOperators(db)).some((each) => each.removedAt === null && each.hasKey)
    if (!isUsed) return hostPerson({ user })
    throw new AppError('validation_failed', {
      message:
        'This deployment knows its operators by name, and no key was given. Set KASSA_OPERATOR_KEY to your personal key, or KASSA_OPERATOR_KEY_FILE to a file with it that only you can read.',
    })
  }
  const found = KEY.test(key) ? await findOperatorByKey(db, digestOf(key)) : null
  if (found && found.removedAt === null) return expectConfirmed(db, found)
  throw new AppError('validation_failed', {
    message: 'The operator key is not valid here: it is mistyped, was replaced, or its operator was removed.',
    hint: 'Ask an administrator of this deployment for a new key.',
  })
}

/** After a restore somebody on the host confirms who may act again. @throws AppError validation_failed */
async function expectConfirmed(db: Db, found: OperatorRecord): Promise<OperatorRecord> {
  if (!(await isWaiting(db, found.id))) return found
  throw new AppError('validation_failed', {
    message: `A backup was restored, and nobody has confirmed since that ${found.name} may still act here.`,
    next: [{ act: 'confirm_restored', person: found.name }],
  })
}

/** The login name of the host, which may do everything. */
function hostPerson({ user }: Pick<Caller, 'user'>): Person {
  return { id: null, name: user, role: 'administrator' }
}

/** @throws AppError validation_failed that names the role which may do it */
export function expectRole({ name, role }: Person, needed: Role, what: string): void {
  if (ROLES.indexOf(role as Role) >= ROLES.indexOf(needed)) return
  throw new AppError('validation_failed', {
    message: `${name} is ${article(role)}, and ${what} needs the role ${needed}.`,
    hint: `Ask ${article(needed)} to do it, or an administrator to change the role.`,
  })
}

const article = (role: UserRole) => (/^[ao]/.test(role) ? `an ${role}` : `a ${role}`)

/**
 * What happens in the transaction that changes a person. `isKeyless`: the person uses the console alone. `keyStart`: the part of a new
 * key that somebody else has; the rest alone is returned.
 */
type PersonDetails = {
  isKeyless?: boolean
  keyStart?: string | undefined
  also?: (tx: Tx, operator: OperatorRecord, before?: OperatorRecord) => Promise<void>
}

/** Adds a person. Nobody can read the returned `key` again later. @throws AppError validation_failed */
export async function addOperator(
  ctx: Context,
  { name, role, isKeyless = false, keyStart, also }: { name: string; role: UserRole } & PersonDetails,
): Promise<{ operator: OperatorRecord; key: string | null }> {
  checkName('name', name, NAME_MAX_CHARS)
  const key = isKeyless ? null : newKey(keyStart)
  const now = systemClock.now()
  const operator = {
    id: newSharedId('usr', now),
    name,
    role,
    createdAt: now,
    removedAt: null,
    hasKey: key !== null,
  }
  await inTransaction(ctx.db, async (tx) => {
    await lockOperators(tx)
    if (!(await insertOperator(tx, { ...operator, keyDigest: key === null ? null : digestOf(key) })))
      throw new AppError('validation_failed', {
        reason: 'person_named',
        message: `There is an operator ${name} already.`,
      })
    await also?.(tx, operator)
    await expectAdministrator(tx)
  })
  return { operator, key: tailOfKey(key, keyStart) }
}

/** Changes the role, or replaces the key, which is then returned. @throws AppError not_found, validation_failed */
export async function changeOperator(
  ctx: Context,
  idOrName: string,
  given: { role?: UserRole | undefined; isNewKey: boolean } & PersonDetails,
): Promise<{ operator: OperatorRecord; key: string | null }> {
  const { role, isNewKey, isKeyless, keyStart, also } = given
  const key = isNewKey && !isKeyless ? newKey(keyStart) : null
  const keyDigest = isKeyless || key === null ? null : digestOf(key)
  return inTransaction(ctx.db, async (tx) => {
    const operator = await lockOperator(tx, idOrName)
    await updateOperator(tx, operator.id, {
      ...(role && { role }),
      ...((keyDigest || isKeyless) && { keyDigest }),
    })
    const hasKey = !isKeyless && (key !== null || operator.hasKey)
    const changed = { ...operator, role: role ?? operator.role, hasKey }
    if (isDecider(operator) && !isDecider(changed)) await expectTwo(tx)
    await also?.(tx, changed, operator)
    await expectAdministrator(tx)
    return { operator: changed, key: tailOfKey(key, keyStart) }
  })
}

/** Removes a person. The key is refused from now on, and the name stays in the log. @throws AppError not_found, validation_failed */
export async function removeOperator(
  ctx: Context,
  idOrName: string,
  { also }: Pick<PersonDetails, 'also'> = {},
): Promise<OperatorRecord> {
  return inTransaction(ctx.db, async (tx) => {
    const operator = await lockOperator(tx, idOrName)
    const removedAt = systemClock.now()
    await updateOperator(tx, operator.id, { removedAt })
    if (isDecider(operator)) await expectTwo(tx)
    await also?.(tx, operator)
    await expectAdministrator(tx)
    return { ...operator, removedAt }
  })
}

/** Returns everybody who was ever added, the oldest first. */
export async function listPeople(ctx: { db: Queryable }): Promise<OperatorRecord[]> {
  return listOperators(ctx.db)
}

const DECIDERS: readonly UserRole[] = ['operator', 'administrator']

/** Whether the person may be the second one for what needs two. */
export const isDecider = ({ role }: { role: UserRole }): boolean => DECIDERS.includes(role)

/** Returns everybody who may be the second person. */
export async function listDeciders(db: Queryable): Promise<OperatorRecord[]> {
  return (await listOperators(db)).filter((each) => each.removedAt === null && isDecider(each))
}

/** @throws AppError validation_failed where nobody could be the second person */
export async function expectSeveral({ db }: { db: Queryable }): Promise<void> {
  if ((await listDeciders(db)).length < 2)
    throw new AppError('validation_failed', {
      reason: 'needs_two',
      message:
        'A second person is needed for this: add another operator first, with the role operator or administrator.',
    })
}

/** While any world has a limit, two people stay who may grant. @throws AppError last_two_deciders as a reason */
async function expectTwo(tx: Tx): Promise<void> {
  if (!(await hasAnyLimit(tx)) || (await listDeciders(tx)).length >= 2) return
  throw new AppError('validation_failed', {
    reason: 'last_two_deciders',
    message:
      'A limit is set above which a second person must approve, and only two people could do that. Nothing was changed. Add another operator or administrator first, or remove the limits.',
  })
}

async function lockOperator(tx: Tx, idOrName: string): Promise<OperatorRecord> {
  await lockOperators(tx)
  const isMeant = ({ id, name }: OperatorRecord) =>
    id === idOrName || name.toLowerCase() === idOrName.toLowerCase()
  const found = (await listOperators(tx)).find((each) => each.removedAt === null && isMeant(each))
  if (!found) throw new AppError('not_found', { message: `There is no operator ${idOrName}.` })
  return found
}

/** Without an administrator nobody could add one. @throws AppError validation_failed */
async function expectAdministrator(tx: Tx): Promise<void> {
  const present = (await listOperators(tx)).filter(({ removedAt }) => removedAt === null)
  const keyed = present.some(({ hasKey }) => hasKey)
  const signers = new Set((await listUsers(tx)).map(({ id }) => id))
  // Where keys are used, an administrator without one can run no command, but can sign in to the console.
  const canAct = ({ id, hasKey }: OperatorRecord) => hasKey || !keyed || signers.has(id)
  if (present.some((each) => each.role === 'administrator' && canAct(each))) return
  throw new AppError('validation_failed', {
    reason: 'last_administrator',
    message:
      'Somebody must be administrator, or nobody could add or change an operator any more. Nothing was changed.',
  })
}

const KEY_PREFIX = 'kop_'

/** `start`: the first characters after the prefix. */
function newKey(start = ''): string {
  return KEY_PREFIX + start + randomBytes(32).toString('base64url').slice(start.length)
}

const tailOfKey = (key: string | null, start: string | undefined) =>
  key !== null && start !== undefined ? key.slice(KEY_PREFIX.length + start.length) : key

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
