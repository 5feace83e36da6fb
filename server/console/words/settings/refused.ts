/** Why a setting was refused, for the people who run the service. `refusals.ts` chooses among them. */
import { family } from '../family.ts'

export const REFUSED_SETTING_WORDS = family({
  en: {
    refused_labelsAlike:
      'Two ways to pay have the label {label}, so buyers could not tell them apart. Give each its own.',
    refused_tokenNoMoney: 'This token cannot return money, so it has no limit of refunds.',
    refused_tokenOver:
      'This token is revoked, or was replaced before. Choose the one that replaced it, or issue another.',
    refused_keyRevoked: 'This key is revoked and works on no page. Create another one.',
    refused_originNotListed: '{origin} is not on the list. Look at the addresses that are.',
    refused_originIsReturn:
      'Buyers come back to {origin}, so it stays. Create another key, and revoke this one.',
    refused_originLast: '{origin} is the last address of this key, so it stays. Revoke the key instead.',
    refused_originNone:
      'Give at least one address of a site, such as https://shop.example, or a public page.',
    refused_returnWithoutOrigin:
      'Without the address of a site buyers stay on the page of their payment. Leave the return address empty.',
    refused_shopUrl: 'Write an address of the shop, such as https://shop.example/tea.',
    refused_noDomain:
      'A token is for the program of a site, and no site of this shop is reviewed. Review one first. A shop that sells by links alone needs no token.',
    refused_merchantClosed:
      'The shop is closed, so it takes no new payments already. Open it first if it should only be paused.',
    refused_merchantBusy:
      'Payments, operations or subscriptions of this shop are not finished. Finish them first, or write why the shop is closed all the same. Then they go on.',
    refused_routesLine:
      'A line is a route and its name, such as route_a=Bank card, or its mark, such as route_a=wallet. Correct this one: {text}',
    refused_routesStray:
      '{route} has a name or a mark, but does not stand among the ways to pay. Add it there too, or leave it out.',
    refused_routesTwice: '{route} stands there twice. Leave one of the two lines out.',
    refused_otherContract:
      'These values belong to another contract than the account {account}. Set another account instead.',
    refused_accountSettings:
      'Some values are missing or wrong: {settings}. Compare each with what the provider gave you.',
    refused_accountCurrencies: 'This provider does not support {currencies} here. Choose other currencies.',
    refused_accountLeft:
      'The account {account} would keep {currencies} alone. Retire it first, or choose these currencies too.',
    refused_accountTaken:
      'This contract belongs to somebody else: it is the account {account}. The money would not reach this shop.',
    refused_accountOfService:
      'This is the own account of the service on {route}. It is changed in the settings with which the service starts.',
    refused_accountOfShop: 'The account {account} belongs to one shop, and no other shop can use it.',
    refused_accountForAll:
      'The account {account} is open to every shop. It is closed in the settings with which the service starts.',
    refused_accountNotConfirmed:
      'The provider did not confirm that these values belong to this contract. Nothing was changed. Compare them with what the provider gave you.',
    refused_callbackNone: 'The shop has no callback URL yet. Set one first.',
    refused_callbackUrl:
      'Events cannot be sent to this address. Write a public https address without a name and password in it.',
    refused_secretAlone: 'No replaced secret signs any more. Replace the secret first.',
    refused_clockLive: 'Real money runs in real time. Only the clock of the tests can be moved.',
    refused_clockFar: 'The clock can be moved by at most 800 days at a time.',
    refused_needsTwo:
      'A limit can be set only while two people can approve. Add another operator or administrator first.',
    refused_buyer: 'Write a whole e-mail address, or a telephone number with at least seven digits.',
  },
  ru: {
    refused_labelsAlike:
      'У двух способов оплаты одно название: {label}. Покупатели их не различат. Дайте каждому своё.',
    refused_tokenNoMoney: 'Этот токен не может возвращать деньги, поэтому предела возвратов у него нет.',
    refused_tokenOver:
      'Этот токен отозван или уже заменён. Выберите тот, который его заменил, или выпустите другой.',
    refused_keyRevoked: 'Этот ключ отозван и не работает ни на одной странице. Создайте другой.',
    refused_originNotListed: 'Адреса {origin} нет в списке. Посмотрите, какие там есть.',
    refused_originIsReturn:
      'Покупатели возвращаются на {origin}, поэтому он остаётся. Создайте другой ключ и отзовите этот.',
    refused_originLast: '{origin} — последний адрес этого ключа, поэтому он остаётся. Лучше отзовите ключ.',
    refused_originNone:
      'Укажите хотя бы один адрес сайта, например https://shop.example, или публичную страницу.',
    refused_returnWithoutOrigin:
      'Без адреса сайта покупатели остаются на странице платежа. Оставьте адрес возврата пустым.',
    refused_shopUrl: 'Напишите адрес магазина, например https://shop.example/tea.',
    refused_noDomain:
      'Токен нужен программе сайта, а ни один сайт этого магазина не проверен. Сначала проверьте его. Магазину, который продаёт по ссылкам, токен не нужен.',
    refused_merchantClosed:
      'Магазин закрыт и уже не принимает новых платежей. Сначала откройте его, если нужна только пауза.',
    refused_merchantBusy:
      'Платежи, операции или подписки этого магазина не завершены. Сначала завершите их или напишите, почему магазин всё же закрывается. Тогда они продолжатся.',
    refused_routesLine:
      'В строке стоит маршрут и его название, например route_a=Банковская карта, или его знак, например route_a=wallet. Исправьте эту: {text}',
    refused_routesStray:
      'У {route} есть название или знак, но среди способов оплаты его нет. Добавьте его и туда или уберите отсюда.',
    refused_routesTwice: '{route} указан дважды. Уберите одну из двух строк.',
    refused_otherContract: 'Эти значения от другого договора, чем счёт {account}. Задайте другой счёт.',
    refused_accountSettings:
      'Некоторых значений нет или они неверны: {settings}. Сверьте каждое с тем, что дал провайдер.',
    refused_accountCurrencies: 'Этот провайдер не поддерживает здесь {currencies}. Выберите другие валюты.',
    refused_accountLeft:
      'У счёта {account} остались бы только {currencies}. Сначала выведите его из работы или выберите и эти валюты.',
    refused_accountTaken: 'Этот договор чужой: это счёт {account}. Деньги не дошли бы до этого магазина.',
    refused_accountOfService:
      'Это собственный счёт сервиса на {route}. Его меняют в настройках, с которыми сервис запускается.',
    refused_accountOfShop: 'Счёт {account} принадлежит одному магазину, и другие им пользоваться не могут.',
    refused_accountForAll:
      'Счёт {account} открыт для всех магазинов. Его закрывают в настройках, с которыми сервис запускается.',
    refused_accountNotConfirmed:
      'Провайдер не подтвердил, что эти значения от этого договора. Ничего не изменено. Сверьте их с тем, что дал провайдер.',
    refused_callbackNone: 'У магазина ещё нет адреса для событий. Сначала задайте его.',
    refused_callbackUrl:
      'На этот адрес нельзя отправлять события. Напишите публичный адрес https без имени и пароля.',
    refused_secretAlone: 'Заменённых секретов, которые ещё подписывают, нет. Сначала замените секрет.',
    refused_clockLive: 'Настоящие деньги идут в настоящем времени. Сдвинуть можно только часы тестов.',
    refused_clockFar: 'За один раз часы можно сдвинуть не более чем на 800 дней.',
    refused_needsTwo:
      'Предел можно задать, только пока двое могут одобрять. Сначала добавьте ещё одного оператора или администратора.',
    refused_buyer: 'Напишите полный адрес почты или номер телефона не короче семи цифр.',
  },
  hy: {
    refused_labelsAlike:
      'Վճարման երկու եղանակ ունեն նույն անունը՝ {label}։ Գնորդները դրանք չեն տարբերի։ Ամեն մեկին տվեք իր անունը։',
    refused_tokenNoMoney: 'Այս թոքենը չի կարող գումար վերադարձնել, ուստի վերադարձի սահման չունի։',
    refused_tokenOver:
      'Այս թոքենը հետ է կանչված կամ արդեն փոխարինված է։ Ընտրեք այն, որը փոխարինել է, կամ տվեք նորը։',
    refused_keyRevoked: 'Այս բանալին հետ է կանչված և ոչ մի էջում չի գործում։ Ստեղծեք ուրիշը։',
    refused_originNotListed: '{origin} հասցեն ցանկում չկա։ Նայեք, թե որոնք կան։',
    refused_originIsReturn:
      'Գնորդները վերադառնում են {origin}, ուստի այն մնում է։ Ստեղծեք ուրիշ բանալի և հետ կանչեք այս մեկը։',
    refused_originLast:
      '{origin}՝ այս բանալու վերջին հասցեն է, ուստի մնում է։ Ավելի լավ է հետ կանչել բանալին։',
    refused_originNone: 'Նշեք կայքի գոնե մեկ հասցե, օրինակ՝ https://shop.example, կամ հրապարակային էջ։',
    refused_returnWithoutOrigin:
      'Առանց կայքի հասցեի գնորդները մնում են վճարման էջում։ Վերադարձի հասցեն թողեք դատարկ։',
    refused_shopUrl: 'Գրեք խանութի հասցե, օրինակ՝ https://shop.example/tea։',
    refused_noDomain:
      'Թոքենը կայքի ծրագրի համար է, իսկ այս խանութի ոչ մի կայք ստուգված չէ։ Նախ ստուգեք այն։ Միայն հղումներով վաճառող խանութին թոքեն պետք չէ։',
    refused_merchantClosed:
      'Խանութը փակ է և արդեն նոր վճարումներ չի ընդունում։ Նախ բացեք այն, եթե պետք է միայն դադար։',
    refused_merchantBusy:
      'Այս խանութի վճարումները, գործողությունները կամ բաժանորդագրությունները ավարտված չեն։ Նախ ավարտեք դրանք, կամ գրեք, թե ինչու է խանութը միևնույնն է փակվում։ Այդ դեպքում դրանք կշարունակվեն։',
    refused_routesLine:
      'Տողում գրվում է ուղին և դրա անունը, օրինակ՝ route_a=Բանկային քարտ, կամ նշանը, օրինակ՝ route_a=wallet։ Ուղղեք այս տողը՝ {text}',
    refused_routesStray:
      '{route}-ն ունի անուն կամ նշան, բայց վճարման եղանակների մեջ չկա։ Ավելացրեք այն նաև այնտեղ կամ հանեք այստեղից։',
    refused_routesTwice: '{route}-ը գրված է երկու անգամ։ Հանեք երկու տողից մեկը։',
    refused_otherContract: 'Այս արժեքները այլ պայմանագրի են, քան {account} հաշիվը։ Սահմանեք ուրիշ հաշիվ։',
    refused_accountSettings:
      'Որոշ արժեքներ պակասում են կամ սխալ են՝ {settings}։ Համեմատեք ամեն մեկը մատակարարի տվածի հետ։',
    refused_accountCurrencies: 'Այս մատակարարն այստեղ չի աջակցում {currencies}։ Ընտրեք այլ արժույթներ։',
    refused_accountLeft:
      '{account} հաշվին կմնար միայն {currencies}։ Նախ դադարեցրեք այն կամ ընտրեք նաև այդ արժույթները։',
    refused_accountTaken: 'Այս պայմանագիրն ուրիշինն է՝ {account} հաշիվը։ Գումարը չէր հասնի այս խանութին։',
    refused_accountOfService:
      'Սա {route}-ի վրա ծառայության սեփական հաշիվն է։ Այն փոխվում է կարգավորումներում, որոնցով ծառայությունը մեկնարկում է։',
    refused_accountOfShop: '{account} հաշիվը մեկ խանութինն է, և ուրիշ խանութ չի կարող այն օգտագործել։',
    refused_accountForAll:
      '{account} հաշիվը բաց է բոլոր խանութների համար։ Այն փակվում է կարգավորումներում, որոնցով ծառայությունը մեկնարկում է։',
    refused_accountNotConfirmed:
      'Մատակարարը չհաստատեց, որ այս արժեքներն այս պայմանագրինն են։ Ոչինչ չի փոխվել։ Համեմատեք դրանք մատակարարի տվածի հետ։',
    refused_callbackNone: 'Խանութը դեռ իրադարձությունների հասցե չունի։ Նախ սահմանեք այն։',
    refused_callbackUrl:
      'Այս հասցեով հնարավոր չէ իրադարձություններ ուղարկել։ Գրեք հրապարակային https հասցե՝ առանց անվան և գաղտնաբառի։',
    refused_secretAlone: 'Փոխարինված գաղտնիք, որը դեռ ստորագրում է, չկա։ Նախ փոխարինեք գաղտնիքը։',
    refused_clockLive:
      'Իրական գումարը շարժվում է իրական ժամանակով։ Կարելի է տեղափոխել միայն փորձնական ժամացույցը։',
    refused_clockFar: 'Ժամացույցը մեկ անգամով կարելի է տեղափոխել առավելագույնը 800 օրով։',
    refused_needsTwo:
      'Սահման կարելի է դնել միայն, քանի դեռ երկու մարդ կարող է հաստատել։ Նախ ավելացրեք ևս մեկ օպերատոր կամ ադմինիստրատոր։',
    refused_buyer: 'Գրեք էլ. փոստի ամբողջ հասցե կամ առնվազն յոթ թվանշանով հեռախոսահամար։',
  },
})
