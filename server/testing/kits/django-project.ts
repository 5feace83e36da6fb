/** A new Django project from Django's own template, with the changes that the Django kit asks for. */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const SETTINGS = "\nALLOWED_HOSTS = ['*']\n"
const URLS = `
import receive_django

urlpatterns = [path('kassa/callback', receive_django.callback)]
`

/** `django`: the folder of the framework. */
export async function makeDjangoProject(folder: string, django: string): Promise<void> {
  await copyTemplate(join(django, 'conf/project_template'), folder)
  await appendFile(join(folder, 'shop/settings.py'), SETTINGS)
  await appendFile(join(folder, 'shop/urls.py'), URLS)
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
