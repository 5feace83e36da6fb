/** `backup`: makes backups of everything, verifies them and restores them. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checkpointKey } from '../../../audit/checkpoint.ts'
import {
  parseRevocations,
  REVOCATIONS,
  type RevocationList,
  revocationsFile,
} from '../../../audit/revocations.ts'
import { readAnchors } from '../../../audit/state.ts'
import { type Created, createBackup } from '../../../backup/create.ts'
import { openBackupKey } from '../../../backup/key.ts'
import { type Manifest, PUBLIC_KEY } from '../../../backup/manifest.ts'
import { type Restored, restoreBackup } from '../../../backup/restore.ts'
import { deleteOldBackups, findNewest, nameOfBackup } from '../../../backup/series.ts'
import { verifyBackup } from '../../../backup/verify.ts'
import { type Context, systemClock } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { nameOf } from '../../../settings/table.ts'
import { findAuditGuard } from '../../../storage/audit/place.ts'
import { noteBackup } from '../../../storage/backup/facts.ts'
import { findNewerVersion } from '../../../storage/upgrade/ledger.ts'
import { VERSION } from '../../../version.ts'
import { ADMIN, type CommandTools, type Noun, type Outcome, shellWord, verb } from '../../command.ts'
import { optional, repeatable, required, toggle } from '../../flag.ts'
import { counted, pairs, paragraphs } from '../../layout.ts'
import { describeRevoked } from './revoked-text.ts'

const FROM = required('DIRECTORY', 'the directory of a backup')
const SECRETS_KEY = nameOf('secretsKeys')
const BACKUP_KEY = nameOf('backupKeys')
const UNSIGNED = toggle(`also accept a backup that is not signed, although ${BACKUP_KEY} is set`)

const keysOf = ({ config }: Context) => (config.backupKeys ?? []).map(openBackupKey)

const create = verb({
  name: 'create',
  needs: 'host',
  withoutLog: true,
  summary: 'Back everything up while the service runs',
  flags: {
    to: optional('DIRECTORY', 'the directory for the backup, which must not exist yet'),
    in: optional('DIRECTORY', 'a directory with several backups: the new one is named by its time'),
    keep: optional('NUMBER', 'with --in: keep only this many backups there, the newest ones'),
  },
  examples: ['', '--in /backups --keep 14', '--to /backups/kassa-before-the-upgrade'],
  async run(ctx, given, { print }) {
    const keep = readKeep(given)
    const at = systemClock.now()
    const directory = resolve(given.to ?? join(given.in ?? '.', nameOfBackup(at)))
    const onProgress = (text: string) => print({ text })
    const [key = null] = keysOf(ctx)
    const created = await createBackup(ctx.jobsDb, { directory, version: VERSION, at, key, onProgress })
    const deleted = keep === null || !given.in ? [] : await deleteOldBackups(resolve(given.in), keep)
    // The backup is complete without this row. A database that was moved accepts no writes.
    await noteBackup(ctx.db, directory, at).catch((error: Error) =>
      print({
        text: `The backup is complete. But its time could not be stored, so nothing watches its age: ${error.message}`,
      }),
    )
    const needsVersion = await findNewerVersion(ctx.jobsDb)
    const text = paragraphs(
      describeCreated(created),
      needsVersion !== null && explainNewer(needsVersion),
      deleted.length > 0 && `Deleted: ${deleted.join(', ')}.`,
    )
    return { json: { directory, ...figures(created.manifest), needsVersion, deleted }, text }
  },
})

const explainNewer = (version: string) =>
  `Warning: version ${version} has upgraded this database, and this is version ${VERSION}. Only version ${version} or a newer one can verify and restore this backup. Keep it beside this one, and verify with its own command: the guide Upgrading, under Go back, has it.`

/** @throws AppError validation_failed */
function readKeep(given: { to?: string | undefined; in?: string | undefined; keep?: string | undefined }) {
  const fault = (message: string) => new AppError('validation_failed', { message })
  if (given.to !== undefined && given.in !== undefined)
    throw fault('Give either --to, for one backup, or --in, for a series.')
  if (given.keep === undefined) return null
  if (given.in === undefined) throw fault('--keep needs --in: only backups of a series are deleted.')
  if (!/^[1-9]\d{0,3}$/.test(given.keep)) throw fault('--keep must be a whole number from 1 to 9999.')
  return Number(given.keep)
}

function describeCreated({ directory, manifest }: Created): string {
  return paragraphs(
    `The backup is in ${directory}.\n${pairs(rowsOf(manifest))}`,
    manifest.keyIds.length > 0 &&
      `The backup does not contain the keys that decrypt its secrets (${manifest.keyIds.join(', ')}). They are in ${SECRETS_KEY}, or in the file secrets-key of the data directory. Store a copy of the keys in another place than the backup.`,
    manifest.sealing
      ? `The backup is encrypted and signed under the backup key ${manifest.sealing.keyId}. Without this key it cannot be restored: keep a copy of ${BACKUP_KEY} in another place. Its public key is in ${PUBLIC_KEY}.`
      : `The backup contains the names and addresses of buyers, and it is not encrypted. Store it where only you can read it, or set ${BACKUP_KEY}.`,
    `Check that it can be restored: ${ADMIN} backup verify --from ${shellWord(directory)}`,
  )
}

const verify = verb({
  name: 'verify',
  needs: 'host',
  withoutLog: true,
  onEmpty: 'create',
  summary: 'Restore a backup elsewhere and check every row',
  flags: {
    from: optional('DIRECTORY', 'the directory of a backup'),
    in: optional('DIRECTORY', 'a directory with several backups: the newest is verified'),
    unsigned: UNSIGNED,
    on: optional('URL', 'an empty database to restore into; without it a temporary PostgreSQL is started'),
  },
  examples: ['--from /backups/kassa-before-the-upgrade', '--in /backups'],
  async run(ctx, { from, in: series, on, unsigned }, tools) {
    const directory = from ?? (series && (await findNewest(resolve(series))))
    if (!directory || (from && series))
      throw new AppError('validation_failed', {
        message: series && !from ? `There is no backup in ${series}.` : 'Give either --from or --in.',
      })
    const restored = await verifyBackup(resolve(directory), { on, unsigned, ...optionsOf(ctx, tools) })
    const missing = restored.manifest.keyIds.filter((id) => !ctx.vault.keyIds.includes(id))
    return judge(restored, {
      good: 'The backup is complete. Every row was restored unchanged, and the sums of money are the same.',
      notes:
        missing.length > 0
          ? `The keys of this command do not decrypt the secrets in it: ${missing.join(', ')} is missing in ${SECRETS_KEY}.`
          : 'The keys of this command decrypt the secrets in it.',
    })
  },
})

const optionsOf = (ctx: Context, { print, act }: Pick<CommandTools, 'print' | 'act'>) => ({
  act,
  keys: keysOf(ctx),
  at: systemClock.now(),
  settledPerHour: ctx.config.settledQuestionsPerHour,
  onProgress: (text: string) => print({ text }),
})

const restore = verb({
  name: 'restore',
  needs: 'administrator',
  withoutLog: true,
  onEmpty: 'fill',
  summary: 'Fill an empty database from a backup',
  flags: {
    from: FROM,
    unsigned: UNSIGNED,
    revocations: optional(
      'FILE',
      `the list of what was revoked since the backup; by default ${REVOCATIONS} beside the checkpoints`,
    ),
    key: repeatable('KEY', 'a public key of that list from before SECRETS_KEY was replaced'),
  },
  examples: [
    '--from /backups/kassa-backup-20260131T020000Z',
    `--from /backups/kassa-backup-20260131T020000Z --revocations /mnt/copies/${REVOCATIONS}`,
  ],
  async run(ctx, { from, unsigned, revocations: file, key: keys }, tools) {
    const revocations = await readList(ctx, file, keys)
    const restored = await restoreBackup(ctx.jobsDb, resolve(from), {
      unsigned,
      revocations,
      ...optionsOf(ctx, tools),
    })
    const { keyIds } = restored.manifest
    return judge(restored, {
      good: 'The backup is restored. Every row is unchanged, and the sums of money are the same.',
      notes: paragraphs(
        describeRevoked(restored.revoked),
        !(await findAuditGuard(ctx.jobsDb)).isPrepared && ctx.config.databaseUrl !== undefined && UNPREPARED,
        keyIds.length > 0 &&
          `The service needs the keys ${keyIds.join(', ')} in ${SECRETS_KEY}, or in the file secrets-key of its data directory.`,
        restored.manifest.worlds.includes('live') &&
          ctx.config.mode !== 'live' &&
          `The backup has a live world. Set ${nameOf('mode')}=live before you start the service, or real payments are not served.`,
        `What happened after the backup is not in it. When the service starts, it asks the providers about every payment that may have moved since. Until they have answered, refunds, captures, voids and renewals wait, and new payments go on. How far that is, and what the backup did not know: ${ADMIN} restore show`,
      ),
    })
  },
})

/** @throws AppError validation_failed if a named list cannot be read */
async function readList(
  ctx: Context,
  named: string | undefined,
  keys: string[],
): Promise<RevocationList | null> {
  const file = named === undefined ? revocationsFile(ctx.config) : resolve(named)
  if (file === null) return null
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    if (named === undefined) return null
    throw new AppError('validation_failed', {
      message: `--revocations ${named} cannot be read: ${error.message}`,
    })
  })
  if (text === null) return null
  const [newest] = await readAnchors(ctx, dirname(file))
  const expected = newest?.guard?.revocations ?? 0
  return parseRevocations(text, { name: file, keys: [checkpointKey(ctx), ...keys], expected })
}

const UNPREPARED =
  'Nobody has prepared this database for the audit log. If the log had another owner before, people can change nothing until it has one again: the guide Deploying, under Another owner for the audit log, has the statements.'

function judge(
  { manifest, faults, revoked }: Restored,
  { good, notes }: { good: string; notes: string },
): Outcome {
  const json = { ...figures(manifest), faults, ...(revoked && { revoked }) }
  const rows = pairs(rowsOf(manifest))
  if (faults.length === 0) return { json, text: paragraphs(good, rows, notes) }
  const message = 'The rows are those of the backup, but its sums of money are wrong.'
  return {
    json,
    text: paragraphs(rows, faults.join('\n')),
    problem: {
      code: 'backup_faulty',
      message,
      hint: `${message} Do not delete the database that it was made from, and compare the sums named above with your provider's statements.`,
    },
  }
}

function rowsOf(manifest: Manifest): [string, string][] {
  const { rows, tables, payments } = figures(manifest)
  return [
    ['Made', `${manifest.createdAt}, by version ${manifest.version}`],
    ['Holds', `${counted(tables, 'table')}, ${counted(rows, 'row')}, ${counted(payments, 'payment')}`],
  ]
}

function figures({ createdAt, version, worlds, tables, sums, keyIds }: Manifest) {
  const add = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
  return {
    createdAt,
    version,
    worlds,
    tables: tables.length,
    rows: add(tables.map(({ rows }) => rows)),
    payments: add(sums.map(({ payments }) => payments)),
    sums,
    keyIds,
  }
}

export const backup: Noun = {
  name: 'backup',
  summary: 'Create, verify and restore backups',
  verbs: [create, verify, restore],
}
