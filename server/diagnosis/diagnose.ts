/**
 * Examines the whole service in every state: also when it is stopped, or its database cannot be used.
 * Rule: each part has its own time limit, no part waits for another that it does not need, and nothing is started or changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Worlds } from '../context.ts'
import { RESTART } from '../invocation.ts'
import { createLog } from '../log/log.ts'
import { type Examination, examine } from '../operator/examination.ts'
import { defaultDataDir } from '../postgres/embedded.ts'
import { createSandboxClock } from '../sandbox/clock.ts'
import { findSecretsKeys } from '../secrets/keys.ts'
import { createVault } from '../secrets/vault.ts'
import type { Db } from '../storage/db.ts'
import { findSandboxClock } from '../storage/sandbox/clock.ts'
import { createContext } from '../world.ts'
import { listWorlds } from '../worlds.ts'
import { explainConnection } from './connection.ts'
import { type DatabaseVerdict, judgeDatabase, locate, openBriefly } from './database.ts'
import { bad, type Finding } from './finding.ts'
import { judgeDirectory, judgeDisk, judgeEncryption, judgeProcess } from './machine.ts'

/** `examination`: null if the database cannot be used. */
export type Diagnosis = { findings: Finding[]; examination: Examination | null }
type DatabasePart = DatabaseVerdict & { examination: Examination | null }

const DATABASE_WITHIN_MS = 8_000

export async function diagnose(config: Config): Promise<Diagnosis> {
  const dataDir = config.dataDir ?? defaultDataDir()
  const hasKeys = config.secretsKeys ?? config.secretsKeyFile ?? config.secretsKeyCommand
  const isDirectoryNeeded = config.databaseUrl === undefined || hasKeys === undefined
  const slow = new AbortController()
  const tooSlow = sleep(DATABASE_WITHIN_MS, null, { signal: slow.signal }).catch(() => null)
  const [process, directory, disk, database] = await Promise.all([
    judgeProcess(config),
    judgeDirectory(dataDir, isDirectoryNeeded),
    judgeDisk(config),
    Promise.race([diagnoseDatabase(config, dataDir), tooSlow]).finally(() => slow.abort()),
  ])
  const { findings, examination } = database ?? unanswered()
  return {
    findings: [process, ...findings, ...directory, ...disk, ...judgeEncryption(config)],
    examination,
  }
}

function unanswered(): DatabasePart {
  const message = `it does not answer within ${DATABASE_WITHIN_MS / 1000} seconds`
  return { findings: [bad('Database', message, RESTART)], isUsable: false, examination: null }
}

async function diagnoseDatabase(config: Config, dataDir: string): Promise<DatabasePart> {
  const located = await locate(config, dataDir)
  if (!('url' in located)) return { findings: [located], isUsable: false, examination: null }
  const dbs: Db[] = []
  const open = (world: Db['world']) => {
    const db = openBriefly(located.url, world)
    dbs.push(db)
    return db
  }
  try {
    const verdict = await judgeDatabase(config, open(config.mode), { ...located, dataDir })
    if (!verdict.isUsable) return { ...verdict, examination: null }
    try {
      return { ...verdict, examination: await examineWorlds(config, dataDir, open) }
    } catch (error) {
      const finding = explainConnection(error, located.url, located.isEmbedded)
      const message = `the open work cannot be read: ${finding.message}`
      return {
        ...verdict,
        findings: [...verdict.findings, { ...finding, about: 'Open work', message }],
        examination: null,
      }
    }
  } finally {
    // A connection that hangs must not hold up the result.
    for (const db of dbs) void db.end().catch(() => {})
  }
}

async function examineWorlds(
  config: Config,
  dataDir: string,
  open: (world: Db['world']) => Db,
): Promise<Examination> {
  const sandboxDb = open('sandbox')
  const clock = createSandboxClock()
  clock.sandbox.moveTo((await findSandboxClock(sandboxDb)).offsetMs)
  // Whether the keys fit has been judged. Without any key nothing is encrypted, and this one opens nothing.
  const keys = await findSecretsKeys(config, dataDir)
  const vault = createVault(keys.length > 0 ? keys : [Buffer.alloc(32).toString('base64')])
  const parts = {
    log: createLog('silent', 'stderr'),
    vault,
    isServing: false,
    localUrl: `http://localhost:${config.port}`,
  }
  const worlds: Worlds = {
    sandbox: createContext(config, { ...parts, db: sandboxDb, clock }),
    ...(config.mode === 'live' && { live: createContext(config, { ...parts, db: open('live') }) }),
  }
  try {
    return await examine(worlds)
  } finally {
    for (const { buckets } of listWorlds(worlds)) buckets.close()
  }
}
