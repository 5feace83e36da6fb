import type { FindingKey } from '../../merchants/diagnosis-words.ts'

export const FINDINGS_RU: Record<FindingKey, string> = {
  revoked: 'Ключ отозван: его не принимают ни на одной странице.',
  originRegistered: '«{origin}» разрешён, байт в байт.',
  originUnknown: '«{origin}» не разрешён.',
  originClosest: 'Ближайший из разрешённых, «{closest}», отличается:',
  differsScheme: 'схема {page}, разрешена {known}',
  differsWww: '{page} и {known} — два источника, с www и без',
  differsHost: 'хост {page}, разрешён {known}',
  differsPort: 'порт {page}, разрешён {known}',
  originsAll: 'Все разрешённые: {origins}.',
  spelledNull:
    'Источник «null» бывает у страницы, открытой из файла или в изолированном фрейме. Его нельзя разрешить.',
  spelledNotWeb: '«{given}» — не источник веб-страницы.',
  spelledOtherwise: 'Браузер не пришлёт «{given}» как источник. Он пришлёт «{sent}».',
  becauseScheme: 'нет схемы',
  becauseSpaces: 'вокруг пробелы',
  becauseUser: 'есть имя пользователя',
  becauseUpperCase: 'есть заглавные буквы',
  becausePort: 'назван порт по умолчанию',
  becauseAscii: 'хост не в ASCII',
  becauseSlash: 'в конце косая черта',
  becausePath: 'после хоста есть продолжение',
  adviceServe: 'Отдавайте страницу с веб-сервера, вне изолированных фреймов.',
  adviceWrite: 'Напишите схему и хост, например https://shop.example',
  adviceAskAgain: 'С самой страницей всё в порядке. Спросите ещё раз в том написании, которое шлёт браузер:',
  adviceRevoked: 'Создайте новую установку и поставьте её ключ на страницу:',
  adviceTwin: 'Отдавайте страницу с {twin}. Или, если и этот источник принадлежит магазину, разрешите его:',
  adviceAllow:
    'Если страница принадлежит магазину, разрешите её источник; через секунду тот же ключ заработает и там:',
  policyUnreadable: 'Это не политика безопасности: в ней нет ни одной известной браузеру директивы.',
  policyScriptFine: 'Политика {number}: {directive} даёт скрипту загрузиться.',
  policyScriptBlocked:
    'Политика {number}: {directive} не даёт загрузить скрипт. Добавьте {source} в script-src.',
  policyScriptElem:
    'Политика {number}: {directive} не даёт загрузить скрипт. Добавьте {source} в script-src-elem, который стоит вместо script-src.',
  policyStrictDynamic:
    'Политика {number}: в {directive} есть «strict-dynamic», поэтому адреса в нём не действуют. Поставьте nonce страницы на тег: nonce="...".',
  policyNonce:
    'Политика {number}: {directive} принимает nonce. Поставьте nonce страницы на тег или добавьте {source}.',
  policyConnectFine: 'Политика {number}: {directive} даёт кнопке начать оплату.',
  policyConnectBlocked:
    'Политика {number}: {directive} не даёт кнопке начать оплату. Добавьте {source} в connect-src.',
  policyTypesFine: 'Политика {number}: Trusted Types не мешают тегу, который стоит в самой странице.',
  policyTypesInserted:
    'Политика {number}: Trusted Types не дают скрипту вставить тег (так делает код для React и Vue): поставьте тег в саму страницу.',
  policyStyle:
    'Политика {number}: {directive} не пропускает элемент <style>. Самой кнопке он не нужен; цвета перенесите в свой файл стилей.',
  policySandbox:
    'Политика {number}: sandbox без allow-scripts и allow-same-origin: кнопка не запустится или пришлёт источник «null».',
  policyUnset: 'Политика {number}: о {directive} в ней ничего нет, значит ничего и не запрещено.',
  returnMissing: 'У ключа нет адреса возврата, поэтому страница должна задать свой (return-url).',
  returnDefault: 'Покупатели возвращаются на {url}, если страница не задаёт другой адрес.',
  returnFine: 'Покупатели возвращаются на {url}.',
  returnBroken: '«{given}» — не адрес.',
  returnNotWeb: 'Адрес возврата начинается с https:// (или задан относительно страницы).',
  returnUser: 'В адресе возврата не может быть имени пользователя и пароля.',
  returnLong: 'В адресе возврата не больше {max} знаков.',
  returnForeign: 'Адрес возврата ведёт на {origin}, а этот источник для ключа не разрешён.',
  returnHttp: 'Адрес возврата не зашифрован. Вне тестов нужен https://.',
}
