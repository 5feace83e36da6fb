/** The walk of the guide on deploying: an empty machine gets the archive. */
import { expect } from 'vitest'
import { ADMIN, CONTAINERS, NEW, OWN_DATABASE, PROXY, type Scene, startPostgres } from './scene.ts'
import type { Rule } from './walk.ts'

export const deploying = (scene: Scene): Rule[] => [
  { line: /^npm (ci|start)/, not: 'in a checkout, which is this one' },
  { line: /^npm run release/, not: 'the archive of the test is made by the same program' },
  {
    line: /^ssh-keygen -Y verify/,
    before: async () => {
      await scene.run(`mkdir ${NEW} && cp ${scene.released}/* ${NEW}/`)
      await scene.run('(printf "releases@kassa "; cat key.pub) >allowed', { folder: NEW })
    },
    folder: () => NEW,
    after: (output) => expect(output).toContain('Good "kassa-release" signature'),
  },
  { line: /^(sha256sum|tar|ln) /, folder: () => NEW },
  {
    line: /^openssl rand/,
    after: async (output) => {
      scene.made.secretsKey = output.trim()
      await scene.set('SECRETS_KEY', output.trim())
      // The name of this machine. No proxy stands in front of it.
      await scene.set('BASE_URL', 'http://localhost:3000')
    },
  },
  {
    line: /enable --now kassa$/,
    after: async () =>
      expect(await scene.run('curl -s http://localhost:3000/readyz')).toContain('"ready":true'),
  },
  { line: /^journalctl --unit kassa/, after: (output) => expect(output).toContain('Demo token') },
  {
    line: /merchant list$/,
    under: 'Run the archive under systemd',
    after: (output) => expect(output).toContain('Urts tea, Yerevan'),
  },
  { line: /./, under: 'Put a reverse proxy in front of it', not: PROXY },
  { line: /./, under: 'Containers', not: CONTAINERS },
  {
    line: /^psql --file/,
    before: async () => {
      await startPostgres(scene)
      await scene.asPostgres(
        "create role kassa login password 'secret'",
        'create role dba login createrole',
        'create database kassa owner kassa',
        'grant create on database kassa to dba',
      )
    },
    after: () => scene.set('DATABASE_URL', OWN_DATABASE),
  },
  {
    line: /restart kassa$/,
    under: 'Another owner for the audit log',
    after: async () => {
      const verified = JSON.parse(await scene.run(`${ADMIN} audit verify --json`))
      expect(verified).toMatchObject({ ok: true, isGuarded: true })
      await scene.unset('DATABASE_URL')
      await scene.run('systemctl restart kassa')
      await scene.asPostgres('drop database kassa', 'drop role kassa')
    },
  },
]
