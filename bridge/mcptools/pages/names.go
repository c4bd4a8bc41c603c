package pages

// The names are plain: small letters and digits.
var (
	// itemNames are what arrays of items are called.
	itemNames = []string{"items", "data", "results", "resources", "values", "value", "records", "nodes", "edges", "entries", "hits", "rows", "list", "content", "elements", "objects", "result", "docs", "documents"}
	// asides are arrays that stand beside the items.
	asides = []string{"errors", "warnings", "warningmessages", "messages_", "facets", "included", "expand", "sort", "fields", "columns", "defaultreminders", "headers", "cursors"}
	// tokens hold what leads to the next page, the surest first.
	tokens = []string{"nextpagetoken", "nextcursor", "nexttoken", "nextmarker", "nextcontinuationtoken", "continuationtoken", "endcursor", "scrollid", "nextbookmark", "bookmark", "nextlink", "odatanextlink", "nextrecordsurl", "nextpageurl", "nexturl", "nextpageuri", "nexturi", "nextpage", "nextoffset", "nextstart", "next", "after", "startcursor", "cursor", "offset"}
	// nexts are those that are there for the next page and nothing else: null ends the list.
	nexts = []string{"nextpagetoken", "nextcursor", "nexttoken", "nextmarker", "nextcontinuationtoken", "endcursor", "nextbookmark", "nextlink", "odatanextlink", "nextrecordsurl", "nextpageurl", "nexturl", "nextpageuri", "nexturi", "nextpage", "nextoffset", "nextstart", "next"}
	// around are links to other pages: where they stand, a next one that is missing is the end.
	around = []string{"first", "prev", "previous", "last"}
	// flags say that there is more; ends that there is none.
	flags = []string{"hasmore", "hasnextpage", "hasnext", "more", "istruncated", "moreitemsincollection"}
	ends  = []string{"islast", "islastpage", "lastpagereached", "done", "last"}
	// sure are used for pages only; maybe for them among others.
	sure  = []string{"nextpagetoken", "nextcursor", "nexttoken", "nextmarker", "nextcontinuationtoken", "endcursor", "scrollid", "odatanextlink", "nextrecordsurl", "nextpageurl", "nextpageuri", "nextpage", "nextoffset", "hasmore", "hasnextpage", "istruncated", "islast", "islastpage", "totalpages"}
	maybe = []string{"next", "nextlink", "nexturl", "nextstart", "nexturi", "after", "cursor", "page", "offset", "startat", "skip", "start", "from", "total", "totalcount", "totalresults", "count", "totalitems", "pagecount", "pages", "lastpage", "startcursor", "bookmark", "continuationtoken", "done", "last"}

	totals     = []string{"total", "totalcount", "totalresults", "totalitems"}
	pageTotals = []string{"totalpages", "pagecount", "pages", "lastpage"}

	// What parameters of tools are called.
	tokenParams  = []string{"cursor", "pagetoken", "nextpagetoken", "nextcursor", "nexttoken", "after", "startcursor", "startingafter", "token", "marker", "continuationtoken", "scrollid", "bookmark", "skiptoken", "offset", "page", "next"}
	pageParams   = []string{"page", "pagenumber", "pageno", "pagenum", "p"}
	offsetParams = []string{"offset", "skip", "startat", "start", "from", "startindex"}
	urlParams    = []string{"nextlink", "nexturl", "nextpageurl", "url", "next"}
	limitParams  = []string{"limit", "perpage", "pagesize", "maxresults", "size", "count", "top", "first"}
)
