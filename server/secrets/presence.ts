/**
 * Each process tells the others, through the database, which keys of stored secrets it knows.
 * Rule: a process first writes its own row and then reads those of the others. So of a service that starts and a rotation that
 * begins at the same moment, at least one sees the other and gives way.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { nameOf } from '../settings/table.ts'
import { APPLICATION, type Db } from '../storage/db.ts'
import {
  deleteProcess,
  endRotation,
  listLivingProcesses,
  listRotatedKeys,
  listSilentProcesses,
  noteProcess,
  type ProcessRecord,
} from '../storage/processes.ts'
import { listUsedKeyIds } from '../storage/used-keys.ts'
import type { Vault } from './vault.ts'

/** Six of these may fail before the others count this process as dead. */
const SEEN_EVERY_MS = 5_000
const CONNECTED_LOOKS = 20
const CONNECTED_LOOK_MS = 100

type Keys = Pick<Vault, 'keyIds'>
/** `end`: a rotation has sealed something, so its key stays known. `stop`: the process leaves, or has changed nothing. */
export type Presence = { id: string; stop(): Promise<void>; end(): Promise<void> }

/**
 * Announces a service until `stop`. `worlds`: the pools of the worlds that it serves. `onLockedOut` is called, again and again, while
 * a secret of these worlds is sealed under a key that the service does not know.
 * @throws AppError storage_unavailable if a rotation is under way whose key the service does not know
 */
export async function announceService(
  worlds: readonly [Db, ...Db[]],
  { keyIds }: Keys,
  { warn, onLockedOut }: { warn(line: string): void; onLockedOut(keyIds: string[]): void },
): Promise<Presence> {
  const [db] = worlds
  const presence = await announce(db, { keyIds, rotates: false }, async () => {
    const lost = await findLostKeys(worlds, keyIds)
    if (lost.length > 0) onLockedOut(lost)
  })
  try {
    for (const other of await listLivingProcesses(db, presence.id)) compareWith(other, keyIds, warn)
    return presence
  } catch (error) {
    await presence.stop()
    throw error
  }
}

/**
 * Announces a rotation that seals everything under its first key.
 * @throws AppError request_in_progress that names each running process which would not be able to open what the rotation seals
 */
export async function announceRotation(db: Db, { keyIds }: Keys): Promise<Presence> {
  const presence = await announce(db, { keyIds, rotates: true })
  try {
    await expectKnown(db, presence.id, keyIds[0] ?? '')
    return presence
  } catch (error) {
    await presence.stop()
    throw error
  }
}

async function announce(
  db: Db,
  given: Pick<ProcessRecord, 'keyIds' | 'rotates'>,
  onSeen: () => Promise<void> = async () => {},
): Promise<Presence> {
  const own: ProcessRecord = { id: randomBytes(16).toString('hex'), name: APPLICATION, ...given }
  await noteProcess(db, own)
  // A beat that fails is followed by the next one. The requests and the worker log that the database is away.
  const beat = () =>
    noteProcess(db, own)
      .then(onSeen)
      .catch(() => {})
  let beating: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    beating = beating.then(beat)
  }, SEEN_EVERY_MS).unref()
  const leave = async (how: typeof deleteProcess) => {
    clearInterval(timer)
    await beating
    await how(db, own.id).catch(() => {})
  }
  return { id: own.id, stop: () => leave(deleteProcess), end: () => leave(endRotation) }
}

/**
 * The row of a rotation stays after its end. So this usually reads that row alone. It reads all secrets only after a rotation
 * whose key this process does not know.
 */
async function findLostKeys(worlds: readonly [Db, ...Db[]], keyIds: readonly string[]): Promise<string[]> {
  const rotated = await listRotatedKeys(worlds[0], keyIds)
  if (rotated.length === 0) return []
  const used = (await Promise.all(worlds.map(listUsedKeyIds))).flat()
  return rotated.filter((keyId) => used.includes(keyId))
}

function compareWith(other: ProcessRecord, keyIds: readonly string[], warn: (line: string) => void): void {
  const [[own = ''], [others = '']] = [keyIds, other.keyIds]
  const name = nameOf('secretsKeys')
  if (other.rotates && !keyIds.includes(others))
    throw new AppError('storage_unavailable', {
      message: `secrets rotate (${placeOf(other.name)}) is sealing every stored secret under the key ${others}, which ${name} of this process does not have. Give this process the same ${name} as the others.`,
    })
  if (other.rotates) return
  if (!other.keyIds.includes(own))
    warn(
      `Warning: ${placeOf(other.name)} does not know the key ${own}, which is the first in ${name} of this process, and cannot open secrets that are stored from now on. Restart it with the same keys.`,
    )
  if (!keyIds.includes(others))
    warn(
      `Warning: ${placeOf(other.name)} seals new secrets under the key ${others}, which is not in ${name} of this process. Give both the same keys, and restart them.`,
    )
}

/** @throws AppError request_in_progress */
async function expectKnown(db: Db, ownId: string, keyId: string): Promise<void> {
  const name = nameOf('secretsKeys')
  const problems = (await listLivingProcesses(db, ownId)).flatMap((other) => {
    const place = placeOf(other.name)
    if (other.rotates) return `${place} runs secrets rotate too. Wait for its end.`
    if (!other.keyIds.includes(keyId))
      return `${place} does not know this key and would be locked out of every secret. Restart it with this key as the first in ${name}.`
    if (other.keyIds[0] !== keyId)
      return `${place} knows this key, but seals new secrets under ${other.keyIds[0]}. Restart it with this key as the first in ${name}.`
    return []
  })
  for (const silent of await waitForSilent(db))
    problems.push(
      `${placeOf(silent)} is connected and has not said which keys it knows. It is a command, or a process of an earlier version. Wait for its end, or stop it.`,
    )
  if (problems.length > 0)
    throw new AppError('request_in_progress', {
      message: `Nothing was sealed under the key ${keyId}, because running processes do not fit:\n${[...new Set(problems)].map((line) => `  ${line}`).join('\n')}\nA process that was killed counts as running for another 30 seconds.`,
    })
}

/** A command that has just ended may still have a connection for a moment. */
async function waitForSilent(db: Db): Promise<string[]> {
  for (let looks = 1; ; looks++) {
    const silent = await listSilentProcesses(db)
    if (silent.length === 0 || looks >= CONNECTED_LOOKS) return silent
    await sleep(CONNECTED_LOOK_MS)
  }
}

/** `kassa pay-1 4711` becomes `process 4711 on pay-1`. */
function placeOf(application: string): string {
  const [, host, pid] = application.split(' ')
  return pid ? `process ${pid} on ${host}` : application
}
