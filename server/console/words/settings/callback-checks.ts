import { family } from '../family.ts'

/** The checks of a callback URL, and what to do about each that did not pass. */
export const CALLBACK_CHECK_WORDS = family({
  en: {
    check_accepts_event: 'Accepts a signed event',
    check_no_redirect: 'Answers without a redirect',
    check_answers_fast: 'Answers fast',
    check_refuses_missing_signature: 'Rejects an event without a signature',
    check_refuses_bad_signature: 'Rejects a wrong signature',
    check_refuses_stale_timestamp: 'Rejects an old event',
    check_refuses_changed_body: 'Rejects a changed body',
    check_accepts_duplicate: 'Accepts the same event again',
    check_slow: 'It takes more than 5 s. Let it respond first, and do the work afterwards.',
    check_skipped: 'Not tried, because the valid event was rejected.',
    check_skippedUnanswered: 'Not tried, because the valid event got no response.',
    check_duplicateAdvice:
      'An event can arrive twice. Respond 2xx to an id that you know, and do nothing else. Any other response makes this service send it again.',
    check_noResponse: 'There was no response.',
    check_responds: 'It responds {status}.',
    check_to_refuses_missing_signature: 'Reject every event that is not signed: respond 401.',
    check_to_refuses_bad_signature:
      'Compare the signature before anything else, and respond 401 to a wrong one.',
    check_to_refuses_stale_timestamp:
      'The event was signed an hour ago. Reject a t that is more than 300 s away: respond 401.',
    check_to_refuses_changed_body:
      'The body was changed after signing. Calculate the signature of the raw bytes, compare, and respond 401.',
    advice_redirects: 'It redirects, and redirects are not followed. Set the address that it redirects to.',
    advice_signature:
      'It rejects the signature. Give it the secret of this shop, and let it verify the raw body, before the body is parsed.',
    advice_forbidden:
      'CSRF protection, a log-in or a firewall in front of it rejects the request. Allow POST requests without a cookie there.',
    advice_not_found: 'There is nothing at this path. Check the address.',
    advice_method: 'It does not accept POST at this path. Check the address and its method.',
    advice_gone: 'It reports that it is gone for good. Set another address.',
    advice_too_large: 'The body is too large for it. Allow bodies of 64 KB.',
    advice_media_type: 'It does not accept application/json. Let it read the raw body of any content type.',
    advice_rate: 'It limits the rate of requests. Remove its limit for events.',
    advice_rejects: 'It rejects the event. Look for the reason in its own log.',
    advice_fails:
      'It fails. Look for the reason in its own log. Let it respond first, and do the work afterwards.',
    advice_unknown_status: 'It responds with a status that HTTP does not define.',
    advice_nobody_listens: 'Nothing listens there. Start the receiver, and check the port.',
    advice_no_response: 'It does not respond in time. Let it respond first, and do the work afterwards.',
    advice_no_address: 'The host name has no address. Check its spelling and its DNS record.',
    advice_not_allowed:
      'Only public https addresses are called. The operator of the service can allow another one.',
    advice_certificate: 'Its certificate is not valid. Install a valid one, with the whole chain.',
    advice_closes:
      'It closes the connection. Look for the reason in its own log, or in that of the proxy in front of it.',
    advice_unreachable: 'It cannot be reached. The reason stands below.',
  },
  ru: {
    check_accepts_event: 'Принимает подписанное событие',
    check_no_redirect: 'Отвечает без перенаправления',
    check_answers_fast: 'Отвечает быстро',
    check_refuses_missing_signature: 'Отклоняет событие без подписи',
    check_refuses_bad_signature: 'Отклоняет неверную подпись',
    check_refuses_stale_timestamp: 'Отклоняет старое событие',
    check_refuses_changed_body: 'Отклоняет изменённое тело',
    check_accepts_duplicate: 'Принимает то же событие ещё раз',
    check_slow: 'Ответ занимает больше 5 с. Пусть сначала отвечает, а работу делает потом.',
    check_skipped: 'Не проверялось: верное событие было отклонено.',
    check_skippedUnanswered: 'Не проверялось: на верное событие не было ответа.',
    check_duplicateAdvice:
      'Событие может прийти дважды. На известный id отвечайте 2xx и больше ничего не делайте. При любом другом ответе сервис пришлёт его снова.',
    check_noResponse: 'Ответа не было.',
    check_responds: 'Ответ — {status}.',
    check_to_refuses_missing_signature: 'Отклоняйте каждое событие без подписи: отвечайте 401.',
    check_to_refuses_bad_signature: 'Сначала сравнивайте подпись, и на неверную отвечайте 401.',
    check_to_refuses_stale_timestamp:
      'Событие подписано час назад. Отклоняйте t, который отличается больше чем на 300 с: отвечайте 401.',
    check_to_refuses_changed_body:
      'Тело изменено после подписи. Вычисляйте подпись по исходным байтам, сравнивайте и отвечайте 401.',
    advice_redirects:
      'Он перенаправляет, а перенаправления не выполняются. Задайте адрес, на который он перенаправляет.',
    advice_signature:
      'Он отклоняет подпись. Дайте ему секрет этого магазина, и пусть он проверяет исходное тело до его разбора.',
    advice_forbidden:
      'Запрос отклоняет защита от CSRF, вход или межсетевой экран перед ним. Разрешите там запросы POST без cookie.',
    advice_not_found: 'По этому пути ничего нет. Проверьте адрес.',
    advice_method: 'Он не принимает POST по этому пути. Проверьте адрес и метод.',
    advice_gone: 'Он сообщает, что его больше нет. Задайте другой адрес.',
    advice_too_large: 'Тело для него слишком велико. Разрешите тела до 64 КБ.',
    advice_media_type: 'Он не принимает application/json. Пусть читает исходное тело любого типа.',
    advice_rate: 'Он ограничивает частоту запросов. Снимите ограничение для событий.',
    advice_rejects: 'Он отклоняет событие. Найдите причину в его журнале.',
    advice_fails:
      'Он завершается ошибкой. Найдите причину в его журнале. Пусть сначала отвечает, а работу делает потом.',
    advice_unknown_status: 'Он отвечает статусом, которого в HTTP нет.',
    advice_nobody_listens: 'Там никто не слушает. Запустите приёмник и проверьте порт.',
    advice_no_response: 'Он не отвечает вовремя. Пусть сначала отвечает, а работу делает потом.',
    advice_no_address: 'У имени хоста нет адреса. Проверьте написание и запись DNS.',
    advice_not_allowed:
      'Вызываются только публичные адреса https. Оператор сервиса может разрешить и другой.',
    advice_certificate: 'Его сертификат недействителен. Установите действующий, со всей цепочкой.',
    advice_closes: 'Он закрывает соединение. Найдите причину в его журнале или в журнале прокси перед ним.',
    advice_unreachable: 'До него не дойти. Причина стоит ниже.',
  },
  hy: {
    check_accepts_event: 'Ընդունում է ստորագրված իրադարձությունը',
    check_no_redirect: 'Պատասխանում է առանց վերահղման',
    check_answers_fast: 'Արագ է պատասխանում',
    check_refuses_missing_signature: 'Մերժում է անստորագիր իրադարձությունը',
    check_refuses_bad_signature: 'Մերժում է սխալ ստորագրությունը',
    check_refuses_stale_timestamp: 'Մերժում է հին իրադարձությունը',
    check_refuses_changed_body: 'Մերժում է փոփոխված մարմինը',
    check_accepts_duplicate: 'Նույն իրադարձությունը նորից ընդունում է',
    check_slow: 'Տևում է 5 վայրկյանից ավելի։ Թող նախ պատասխանի, իսկ աշխատանքը հետո կատարի։',
    check_skipped: 'Չի փորձարկվել, քանի որ ճիշտ իրադարձությունը մերժվել է։',
    check_skippedUnanswered: 'Չի փորձարկվել, քանի որ ճիշտ իրադարձությանը պատասխան չի եղել։',
    check_duplicateAdvice:
      'Իրադարձությունը կարող է երկու անգամ գալ։ Ծանոթ id-ին պատասխանեք 2xx, և ուրիշ ոչինչ մի՛ արեք։ Ցանկացած այլ պատասխանի դեպքում ծառայությունը նորից կուղարկի։',
    check_noResponse: 'Պատասխան չի եղել։',
    check_responds: 'Պատասխանը՝ {status}։',
    check_to_refuses_missing_signature: 'Մերժեք ամեն անստորագիր իրադարձություն՝ պատասխանեք 401։',
    check_to_refuses_bad_signature: 'Նախ համեմատեք ստորագրությունը, և սխալին պատասխանեք 401։',
    check_to_refuses_stale_timestamp:
      'Իրադարձությունը ստորագրվել է մեկ ժամ առաջ։ Մերժեք t-ն, եթե տարբերվում է 300 վայրկյանից ավելի՝ պատասխանեք 401։',
    check_to_refuses_changed_body:
      'Մարմինը փոխվել է ստորագրելուց հետո։ Հաշվեք ստորագրությունը սկզբնական բայթերով, համեմատեք և պատասխանեք 401։',
    advice_redirects: 'Վերահղում է, իսկ վերահղումները չեն կատարվում։ Տվեք այն հասցեն, ուր վերահղում է։',
    advice_signature:
      'Մերժում է ստորագրությունը։ Տվեք նրան այս խանութի գաղտնիքը, և թող ստուգի սկզբնական մարմինը՝ մինչև վերլուծելը։',
    advice_forbidden:
      'Հարցումը մերժում է CSRF պաշտպանությունը, մուտքը կամ դիմացի պատնեշը։ Թույլ տվեք այնտեղ POST հարցումներ առանց cookie-ի։',
    advice_not_found: 'Այս ուղով ոչինչ չկա։ Ստուգեք հասցեն։',
    advice_method: 'Այս ուղով POST չի ընդունում։ Ստուգեք հասցեն և մեթոդը։',
    advice_gone: 'Հայտնում է, որ այլևս չկա։ Տվեք ուրիշ հասցե։',
    advice_too_large: 'Մարմինը նրա համար չափազանց մեծ է։ Թույլ տվեք մինչև 64 ԿԲ։',
    advice_media_type: 'Չի ընդունում application/json։ Թող կարդա սկզբնական մարմինը՝ ցանկացած տեսակի։',
    advice_rate: 'Սահմանափակում է հարցումների հաճախությունը։ Հանեք սահմանափակումը իրադարձությունների համար։',
    advice_rejects: 'Մերժում է իրադարձությունը։ Պատճառը փնտրեք նրա մատյանում։',
    advice_fails: 'Խափանվում է։ Պատճառը փնտրեք նրա մատյանում։ Թող նախ պատասխանի, իսկ աշխատանքը հետո կատարի։',
    advice_unknown_status: 'Պատասխանում է վիճակով, որը HTTP-ում չկա։',
    advice_nobody_listens: 'Այնտեղ ոչ ոք չի լսում։ Գործարկեք ընդունիչը և ստուգեք պորտը։',
    advice_no_response: 'Ժամանակին չի պատասխանում։ Թող նախ պատասխանի, իսկ աշխատանքը հետո կատարի։',
    advice_no_address: 'Անունը հասցե չունի։ Ստուգեք գրությունը և DNS գրառումը։',
    advice_not_allowed:
      'Կանչվում են միայն հանրային https հասցեներ։ Ծառայության օպերատորը կարող է թույլ տալ ուրիշը։',
    advice_certificate: 'Վկայականն անվավեր է։ Տեղադրեք վավերը՝ ամբողջ շղթայով։',
    advice_closes: 'Փակում է միացումը։ Պատճառը փնտրեք նրա մատյանում կամ դիմացի միջնորդի մատյանում։',
    advice_unreachable: 'Հնարավոր չէ հասնել նրան։ Պատճառը գրված է ստորև։',
  },
})
