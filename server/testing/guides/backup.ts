/** The walk of the guide on backups: made, signed, verified, restored twice, and a move to another PostgreSQL and back. */
import { expect } from 'vitest'
import { ADMIN, BACKUPS, CONTAINERS, OWN_DATABASE, type Scene } from './scene.ts'
import type { Rule } from './walk.ts'

export const backup = (scene: Scene): Rule[] => [
  ...making(scene),
  { line: /./, under: 'In containers', not: CONTAINERS },
  ...restoring(scene),
  ...moving(scene),
]

const making = (scene: Scene): Rule[] => [
  {
    line: /backup create --in/,
    under: 'Back up',
    before: async () => {
      await scene.sell()
      await scene.run(`${ADMIN} user add --name "Ani Petrosyan" --role viewer`)
    },
  },
  {
    line: /enable --now kassa-backup.timer/,
    after: async () => {
      // The timers have no clock here.
      for (const unit of ['kassa-backup', 'kassa-verify']) await scene.run(`systemctl start ${unit}.service`)
      expect(await scene.run('journalctl --unit kassa-verify')).toContain('restored')
    },
  },
  {
    line: /^openssl pkeyutl/,
    before: async () => {
      await scene.set('BACKUP_KEY', (await scene.run('openssl rand -base64 32')).trim())
      await scene.run(`${ADMIN} backup create --in ${BACKUPS}`)
      await scene.noteBackup()
    },
    folder: () => scene.nameOf('backup'),
    after: (output) => expect(output).toContain('Verified Successfully'),
  },
]

const restoring = (scene: Scene): Rule[] => [
  { line: /./, under: 'Restore', example: 1, not: 'the next example is the same on a machine' },
  { line: /backup restore/, under: 'Restore', fill: scene.backupName },
  {
    line: /systemctl start kassa/,
    under: 'Restore',
    after: async () => expect(await scene.run(`${ADMIN} payment list --order order-1001`)).toContain('paid'),
  },
  {
    line: /^install .*revocations/,
    before: async () => {
      const list = '/var/lib/kassa.before/audit/kassa-revocations.jsonl'
      await scene.run(`mkdir /mnt/copies && cp ${list} /mnt/copies/`)
      await scene.emptyData()
    },
  },
  { line: /--revocations/, fill: scene.backupName },
  {
    line: /restore confirm$/,
    // After a restore without a list everybody waits.
    before: async () => {
      await scene.emptyData()
      await scene.run(`${ADMIN} backup restore --from ${scene.nameOf('backup')}`)
    },
    after: (output) => expect(output).toContain('Ani Petrosyan'),
  },
  { line: /restore show/, before: () => scene.run('systemctl start kassa') },
  // By now the comparison may have ended by itself.
  { line: /restore end/, code: null },
]

const moving = (scene: Scene): Rule[] => [
  { line: /createuser --pwprompt/, input: () => 'secret\nsecret\n' },
  {
    line: /database move/,
    before: () => scene.run('systemctl stop kassa'),
    after: async (output) => {
      expect(output).toContain('Everything is in db.example:5432/kassa')
      await scene.set('DATABASE_URL', OWN_DATABASE)
    },
  },
  {
    line: /database reopen/,
    before: async () => {
      await scene.run('systemctl stop kassa')
      await scene.unset('DATABASE_URL')
    },
    after: () => scene.run('systemctl start kassa'),
  },
]
