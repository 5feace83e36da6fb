/** A new Django project, made with Django's own commands, with the changes that the Django kit asks for. */
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KitRunner } from './runners.ts'

const SETTINGS = `
import os

INSTALLED_APPS += ['kassa']
ALLOWED_HOSTS = ['*']
KASSA_WEBHOOK_SECRET = os.environ['KASSA_WEBHOOK_SECRET']
DATABASES['default']['NAME'] = os.environ['KASSA_DATABASE']
`
const URLS = `
from kassa.views import callback

urlpatterns = [path('kassa/callback', callback)]
`

export function makeDjangoProject(python: string): Pick<KitRunner, 'prepare' | 'finish'> {
  /** Runs Django's commands in one process, because each start of Django takes longer than its command. */
  const call = (folder: string, env: Record<string, string>, ...commands: string[][]) => {
    const lines = commands.map(
      (words) => `execute_from_command_line(['manage.py', *${JSON.stringify(words)}])`,
    )
    const program = ['from django.core.management import execute_from_command_line', ...lines].join('\n')
    execFileSync(python, ['-c', program], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return {
    async prepare(folder, env) {
      call(folder, env, ['startproject', 'shop', '.'], ['startapp', 'kassa'])
      await appendFile(join(folder, 'shop/settings.py'), SETTINGS)
      await appendFile(join(folder, 'shop/urls.py'), URLS)
      for (const name of ['management', 'management/commands']) {
        await mkdir(join(folder, 'kassa', name))
        await writeFile(join(folder, 'kassa', name, '__init__.py'), '')
      }
    },
    finish(folder, env) {
      const project = { ...env, DJANGO_SETTINGS_MODULE: 'shop.settings' }
      call(folder, project, ['makemigrations', 'kassa'], ['migrate', 'kassa'])
    },
  }
}
