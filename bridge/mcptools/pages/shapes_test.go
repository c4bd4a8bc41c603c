package pages_test

// shape is how some API pages. In body @ is the items, ~ what tells of the next page, # the
// number of the page from 0, and ^ of its first item; next is what stands for ~ on each of the
// three pages, with two items each; want is the argument that asks for the second and the third.
type shape struct {
	name, props, args, body string
	next                    [3]string
	param                   string
	want                    [2]string
}

var (
	opaque = [3]string{`"two"`, `"three"`, `null`}
	words  = [2]string{`"two"`, `"three"`}
	blank  = [3]string{`"two"`, `"three"`, `""`}
	ints   = [2]string{`2`, `3`}
	starts = [2]string{`2`, `4`}
	more   = [3]string{`true`, `true`, `false`}
)

var shapes = []shape{
	{"MCP", `cursor`, `{}`, `{"tools":@,"nextCursor":~}`, opaque, "cursor", words},
	{"Slack", `cursor`, `{"limit":2}`, `{"ok":true,"messages":@,"response_metadata":{"next_cursor":~}}`, blank, "cursor", words},
	{"Slack with has_more", `cursor`, `{}`, `{"ok":true,"has_more":true,"channels":@,"response_metadata":{"next_cursor":~}}`, blank, "cursor", words},
	{"Notion", `start_cursor`, `{}`, `{"object":"list","results":@,"next_cursor":~,"has_more":true}`, opaque, "start_cursor", words},
	{"Google", `pageToken`, `{}`, `{"kind":"k","nextPageToken":~,"items":@,"defaultReminders":[]}`, opaque, "pageToken", words},
	{"Google Cloud", `page_token`, `{}`, `{"instances":@,"next_page_token":~}`, blank, "page_token", words},
	{"GraphQL nodes", `after`, `{}`, `{"data":{"repository":{"issues":{"nodes":@,"pageInfo":{"hasNextPage":true,"endCursor":~}}}}}`, opaque, "after", words},
	{"GraphQL edges", `first,after`, `{"first":2}`, `{"issues":{"edges":@,"pageInfo":{"startCursor":"s","endCursor":~,"hasNextPage":true}},"total":6}`, opaque, "after", words},
	{"Relay with cursor", `cursor`, `{}`, `{"nodes":@,"pageInfo":{"endCursor":~,"hasNextPage":true}}`, opaque, "cursor", words},
	{"Linear", `after`, `{}`, `{"nodes":@,"page_info":{"end_cursor":~,"has_next_page":true}}`, opaque, "after", words},
	{"OData", `skiptoken`, `{}`, `{"@odata.context":"c","value":@,"@odata.nextLink":~}`, [3]string{`"https://x/v?$skiptoken=two"`, `"https://x/v?$skiptoken=three"`, `null`}, "skiptoken", words},
	{"OData skip", `top,skip:integer`, `{}`, `{"value":@,"@odata.nextLink":~}`, [3]string{`"https://x/v?$top=2&$skip=2"`, `"https://x/v?$top=2&$skip=4"`, `""`}, "skip", starts},
	{"Graph by link", `nextLink`, `{}`, `{"value":@,"@odata.nextLink":~}`, [3]string{`"https://x/v?q=2"`, `"https://x/v?q=3"`, `null`}, "nextLink", [2]string{`"https://x/v?q=2"`, `"https://x/v?q=3"`}},
	{"Stripe", `limit,starting_after`, `{"limit":2}`, `{"object":"list","url":"/v1/c","has_more":~,"data":@}`, more, "starting_after", [2]string{`"i1"`, `"i3"`}},
	{"Stripe search", `page`, `{}`, `{"object":"search_result","data":@,"has_more":true,"next_page":~}`, opaque, "page", words},
	{"GitHub bare", `page:integer,perPage:integer`, `{"perPage":2}`, `@`, opaque, "page", ints},
	{"GitHub search", `query,page:integer,per_page:integer`, `{"per_page":2}`, `{"total_count":6,"incomplete_results":false,"items":@}`, opaque, "page", ints},
	{"links.next", `page:integer`, `{}`, `{"articles":@,"links":{"self":"https://x/a?page=1","next":~}}`, [3]string{`"https://x/a?page=2"`, `"https://x/a?page=3"`, `null`}, "page", ints},
	{"JSON:API", `after`, `{}`, `{"data":@,"included":[],"links":{"next":~}}`, [3]string{`"/a?after=two"`, `"/a?after=three"`, `null`}, "after", words},
	{"Django", `page:integer`, `{}`, `{"count":6,"next":~,"previous":null,"results":@}`, [3]string{`"http://x/a/?page=2"`, `"http://x/a/?page=3"`, `null`}, "page", ints},
	{"Django offset", `limit,offset:integer`, `{}`, `{"count":6,"next":~,"previous":null,"results":@}`, [3]string{`"http://x/a/?limit=2&offset=2"`, `"http://x/a/?limit=2&offset=4"`, `null`}, "offset", starts},
	{"Jira offset", `startAt:integer,maxResults`, `{}`, `{"expand":"e","startAt":^,"maxResults":2,"total":6,"issues":@,"warningMessages":[]}`, opaque, "startAt", starts},
	{"Jira token", `nextPageToken`, `{}`, `{"issues":@,"nextPageToken":~,"isLast":false}`, opaque, "nextPageToken", words},
	{"Jira isLast", `startAt:integer`, `{}`, `{"values":@,"startAt":^,"total":6,"isLast":false}`, opaque, "startAt", starts},
	{"HubSpot", `after`, `{}`, `{"results":@,"paging":{"next":~}}`, [3]string{`{"after":"two","link":"l"}`, `{"after":"three","link":"l"}`, `null`}, "after", words},
	{"Facebook", `after`, `{}`, `{"data":@,"paging":{"cursors":{"before":"b","after":~},"next_page":null}}`, opaque, "after", words},
	{"Elasticsearch scroll", `scroll_id`, `{}`, `{"_scroll_id":~,"took":1,"hits":{"total":{"value":6},"hits":@}}`, opaque, "scroll_id", words},
	{"offset and total", `offset:integer,limit`, `{}`, `{"items":@,"offset":^,"limit":2,"total":6}`, opaque, "offset", starts},
	{"skip and total", `skip:integer`, `{}`, `{"products":@,"skip":^,"limit":2,"total":6}`, opaque, "skip", starts},
	{"page of pages", `page:integer`, `{}`, `{"data":@,"page":+,"total_pages":3,"total":6}`, opaque, "page", ints},
	{"current_page", `page:integer`, `{}`, `{"meta":{"current_page":+,"total_pages":3},"users":@}`, opaque, "page", ints},
	{"Laravel", `page:integer`, `{}`, `{"current_page":+,"data":@,"next_page_url":~,"last_page":3}`, [3]string{`"http://x/u?page=2"`, `"http://x/u?page=3"`, `null`}, "page", ints},
	{"meta.pagination", `page:integer`, `{}`, `{"data":@,"meta":{"pagination":{"page":+,"pageCount":3,"total":6}}}`, opaque, "page", ints},
	{"data.items", `cursor`, `{}`, `{"code":0,"data":{"items":@,"has_more":true,"next_cursor":~}}`, opaque, "cursor", words},
	{"Feishu", `page_token`, `{}`, `{"code":0,"data":{"items":@,"has_more":true,"page_token":"x","next_page_token":~}}`, opaque, "page_token", words},
	{"result.items", `cursor`, `{}`, `{"result":{"items":@,"cursor":~}}`, opaque, "cursor", words},
	{"has_more and page", `page:integer`, `{}`, `{"items":@,"has_more":~,"page":+}`, more, "page", ints},
	{"has_more and offset", `offset:integer`, `{}`, `{"rows":@,"hasMore":~,"offset":^}`, more, "offset", starts},
	{"Asana", `offset`, `{}`, `{"data":@,"next_page":~}`, [3]string{`{"offset":"two","path":"p","uri":"https://x/t?offset=two"}`, `{"offset":"three","uri":"u"}`, `null`}, "offset", words},
	{"Airtable", `offset`, `{}`, `{"records":@,"offset":~}`, opaque, "offset", words},
	{"Salesforce", `nextRecordsUrl,token`, `{}`, `{"totalSize":6,"records":@,"nextRecordsUrl":~}`, opaque, "token", words},
	{"AWS", `NextToken`, `{}`, `{"Reservations":@,"NextToken":~}`, opaque, "NextToken", words},
	{"S3", `Marker`, `{}`, `{"IsTruncated":true,"NextMarker":~,"Contents":@}`, opaque, "Marker", words},
	{"Dropbox", `cursor`, `{}`, `{"entries":@,"cursor":~,"has_more":true}`, opaque, "cursor", words},
	{"CouchDB", `bookmark`, `{}`, `{"docs":@,"bookmark":~}`, opaque, "bookmark", words},
	{"long number", `cursor:integer`, `{}`, `{"users":@,"next_cursor":~}`, [3]string{`1300794057949944903`, `1300794057949944904`, `null`}, "cursor", [2]string{`1300794057949944903`, `1300794057949944904`}},
	{"next_offset", `offset:integer`, `{}`, `{"items":@,"next_offset":~}`, [3]string{`2`, `4`, `null`}, "offset", starts},
	{"next page number", `page:integer`, `{}`, `{"items":@,"page":+,"next_page":~}`, [3]string{`2`, `3`, `null`}, "page", ints},
	{"seed", `cursor`, `{}`, `{"items":@,"cursor":~,"has_more":true}`, opaque, "cursor", words},
	{"HAL", `page:integer`, `{}`, `{"_links":{"self":{"href":"/o?page=+"},"first":{"href":"/o?page=1"},"next":~},"_embedded":{"orders":@},"count":2}`, [3]string{`{"href":"/o?page=2"}`, `{"href":"/o?page=3"}`, `null`}, "page", ints},
	{"HAL from zero", `page:integer,size`, `{}`, `{"_embedded":{"users":@},"_links":{"first":{"href":"http://x/u?page=0"},~"last":{"href":"http://x/u?page=2"}},"page":{"size":2,"totalElements":6,"totalPages":3}}`, [3]string{`"next":{"href":"http://x/u?page=1&size=2"},`, `"next":{"href":"http://x/u?page=2&size=2"},`, ``}, "page", [2]string{`1`, `2`}},
	{"HAL without a next", `page:integer`, `{}`, `{"_links":{"self":{"href":"/o"}~},"_embedded":{"orders":@}}`, [3]string{`,"next":{"href":"/o?page=2"}`, `,"next":{"href":"/o?page=3"}`, ``}, "page", ints},
	{"HAL by path", `page:integer`, `{}`, `{"_links":{"first":{"href":"/o/1"}~},"_embedded":{"orders":@},"page":+}`, [3]string{`,"next":{"href":"/o/2"}`, `,"next":{"href":"/o/3"}`, ``}, "page", ints},
	{"JSON:API by page", `page:integer`, `{}`, `{"data":@,"links":{"self":"/a","prev":null,~"last":"/a?page=3"},"meta":{"total":600}}`, [3]string{`"next":"/a?page=2",`, `"next":"/a?page=3",`, ``}, "page", ints},
	{"JSON:API link object", `page:integer`, `{}`, `{"data":@,"links":{"next":~,"first":"/a"}}`, [3]string{`{"href":"/a?page=2","meta":{}}`, `{"href":"/a?page=3"}`, `null`}, "page", ints},
	{"null next beside more", `cursor,page:integer`, `{}`, `{"items":@,"next_cursor":~,"more_items":1,"hasNext":true}`, opaque, "cursor", words},
	{"blank next beside more and a total", `page_token,page:integer`, `{}`, `{"items":@,"nextPageToken":~,"hasNext":true,"total":600}`, blank, "page_token", words},
	{"null end beside more", `after`, `{}`, `{"nodes":@,"pageInfo":{"endCursor":~,"hasNext":true}}`, opaque, "after", words},
}
