/** A new Django project from Django's own template, with the changes that the Django kit asks for. */
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
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

const PROGRAM = `from django.core.management import execute_from_command_line
execute_from_command_line(['manage.py', 'makemigrations', 'kassa'])
execute_from_command_line(['manage.py', 'migrate', 'kassa'])`

/** `django`: the folder of the framework. */
export function makeDjangoProject(python: string, django: string): Pick<KitRunner, 'prepare' | 'finish'> {
  return {
    async prepare(folder) {
      await copyTemplate(join(django, 'conf/project_template'), folder)
      await appendFile(join(folder, 'shop/settings.py'), SETTINGS)
      await appendFile(join(folder, 'shop/urls.py'), URLS)
      await mkdir(join(folder, 'kassa/management/commands'), { recursive: true })
      for (const name of ['', 'management', 'management/commands'])
        await writeFile(join(folder, 'kassa', name, '__init__.py'), '')
    },
    /** Runs both commands in one process, because each start of Django takes longer than its command. */
    finish: (folder, env) =>
      promisify(execFile)(python, ['-c', PROGRAM], {
        cwd: folder,
        env: { ...env, DJANGO_SETTINGS_MODULE: 'shop.settings' },
      }),
  }
}

/** Does what `django-admin startproject shop` does, without a start of Django. */
async function copyTemplate(template: string, folder: string): Promise<void> {
  for (const name of await readdir(template, { recursive: true })) {
    if (!name.endsWith('-tpl')) continue
    const text = await readFile(join(template, name), 'utf8')
    const file = join(folder, name.replace('project_name', 'shop').replace(/-tpl$/, ''))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.replaceAll('{{ project_name }}', 'shop').replaceAll(/\{\{ \w+ \}\}/g, 'any'))
  }
}
