/** Examines the audit log, and the list of what was revoked beside its checkpoints. */
import { revocationsFile } from '../audit/revocations.ts'
import { judgeLog } from '../audit/state.ts'
import { explainStopped, UNGUARDED } from '../audit/verify.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../context.ts'
import { ADMIN, SERVICE_LOG } from '../invocation.ts'
import { findSecretsKeys } from '../secrets/keys.ts'
import { createVault } from '../secrets/vault.ts'
import { measureUnwritten } from '../storage/audit/revocations.ts'
import { listStoppedTriggers } from '../storage/audit/watched.ts'
import type { Db } from '../storage/db.ts'
import { bad, type Finding, good } from './finding.ts'

const ABOUT = 'Audit log'
const VERIFY = `${ADMIN} audit verify`
/** The worker tries each few seconds. */
const UNWRITTEN_MS = 5 * 60_000

/** Without any key nothing was signed, so there is nothing to compare. */
export async function judgeAudit(config: Config, db: Db, dataDir: string): Promise<Finding[]> {
  const keys = await findSecretsKeys(config, dataDir)
  if (keys.length === 0) return []
  const { guard, refusal, warnings } = await judgeLog(
    { db, vault: createVault(keys), config },
    systemClock.now(),
  )
  const open = (message: string): Finding => ({ state: 'open', about: ABOUT, message, next: VERIFY })
  const stopped = guard.hasLog ? await listStoppedTriggers(db) : []
  const findings = [
    ...(refusal ? [bad(ABOUT, refusal, VERIFY)] : []),
    ...(stopped.length > 0 ? [bad(ABOUT, explainStopped(stopped), VERIFY)] : []),
    // A superuser is named by another finding.
    ...(refusal || guard.isGuarded || guard.isSuperuser ? [] : [open(UNGUARDED)]),
    ...warnings.map(open),
  ]
  const sound = good(ABOUT, `another role owns it (${guard.owner}), and it continues the last checkpoint`)
  return [
    ...(findings.length > 0 ? findings : guard.isGuarded ? [sound] : []),
    ...(await judgeList(config, db)),
  ]
}

async function judgeList(config: Config, db: Db): Promise<Finding[]> {
  const file = revocationsFile(config)
  const { count, since } = await measureUnwritten(db)
  if (file === null || !since || systemClock.now().getTime() - since.getTime() < UNWRITTEN_MS) return []
  const message = `${file} lacks what was revoked since ${since.toISOString()} (${count} in all). A restore would bring it back. Check that the worker runs and may write there`
  return [{ state: 'open', about: 'Revocations', message, next: SERVICE_LOG }]
}
