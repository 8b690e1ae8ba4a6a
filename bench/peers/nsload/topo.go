package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"sync/atomic"
	"time"
)

// topology is the cluster that the generator pretends to be. Topic i lives on
// perTopic consecutive brokers starting at i*perTopic, modulo the number of
// brokers. Like a real broker, each one also registers a topic of its own name
// and one of the cluster's name.
type topology struct {
	brokers, topics, perTopic, queues int
	version                           int
	stamped                           bool           // each 5.x JSON body has a mappingDataVersion of its own
	lastStamp                         atomic.Int64   // the newest of them, in milliseconds
	suffix                            map[int][]byte // topicConfigTable entries by broker (key -1: shared by all)
}

const clusterName = "bench-cluster"

func newTopology(brokers, topics, perTopic, queues, version int) *topology {
	if perTopic <= 0 || perTopic > brokers {
		perTopic = brokers
	}
	return &topology{brokers: brokers, topics: topics, perTopic: perTopic, queues: queues, version: version, suffix: map[int][]byte{}}
}

func brokerName(b int) string       { return fmt.Sprintf("broker-%04d", b) }
func brokerAddr(b int) string       { return fmt.Sprintf("127.0.0.1:%d", 20000+b) }
func haAddr(b int) string           { return fmt.Sprintf("127.0.0.1:%d", 40000+b) }
func topicName(i int) string        { return fmt.Sprintf("bench-topic-%06d", i) }
func (t *topology) shared() bool    { return t.perTopic == t.brokers }
func (t *topology) first(i int) int { return (i * t.perTopic) % t.brokers }

// onBroker says whether topic i lives on broker b.
func (t *topology) onBroker(i, b int) bool {
	d := b - t.first(i)
	if d < 0 {
		d += t.brokers
	}
	return d < t.perTopic
}

// topicsPerBroker is the mean number of topics a broker registers.
func (t *topology) topicsPerBroker() float64 {
	return 2 + float64(t.topics)*float64(t.perTopic)/float64(t.brokers)
}

// ownQueues is how many queues the topic of a broker's own name has: another
// number with each new data version, so that a changed registration has one
// topic that has changed.
func (t *topology) ownQueues(counter int64) int { return t.queues + int((counter-1)&1) }

func (t *topology) topicConfig(dst []byte, name string) []byte {
	return t.topicConfigOf(dst, name, t.queues)
}

func (t *topology) topicConfigOf(dst []byte, name string, queues int) []byte {
	dst = fmt.Appendf(dst, `"%s":{`, name)
	if t.version >= versionV5 {
		dst = append(dst, `"attributes":{},`...)
	}
	return fmt.Appendf(dst, `"order":false,"perm":6,"readQueueNums":%d,"topicFilterType":"SINGLE_TAG","topicName":"%s","topicSysFlag":0,"writeQueueNums":%d}`, queues, name, queues)
}

func (t *topology) dataVersion(counter int64) []byte {
	if t.version >= versionV5 {
		return fmt.Appendf(nil, `{"counter":%d,"stateVersion":0,"timestamp":%d}`, counter, 1700000000000+counter)
	}
	return fmt.Appendf(nil, `{"counter":%d,"timestamp":%d}`, counter, 1700000000000+counter)
}

func (t *topology) brokerTopics(b int, each func(name string)) {
	for i := 0; i < t.topics; i++ {
		if t.onBroker(i, b) {
			each(topicName(i))
		}
	}
}

// nextStamp is the time in milliseconds, but never the same twice.
func (t *topology) nextStamp() int64 {
	for {
		last := t.lastStamp.Load()
		next := max(time.Now().UnixMilli(), last+1)
		if t.lastStamp.CompareAndSwap(last, next) {
			return next
		}
	}
}

// stampDigits is the length of a time in milliseconds from 2001 to 2286.
const stampDigits = 13

// body is a registration body in two parts: the second does not depend on the
// data version, and brokers with the same topics share it.
type body struct {
	head, tail []byte
	crc        uint32
	compressed bool
	stampAt    int // where in head the digits of mappingDataVersion's time are (0: it keeps its time)
}

func (bd *body) sum() {
	bd.crc = crc32.Update(crc32.ChecksumIEEE(bd.head), crc32.IEEETable, bd.tail) & 0x7fffffff
}

// restamp gives mappingDataVersion a new time, which changes the checksum.
func (bd *body) restamp(ms int64) {
	putDigits(bd.head[bd.stampAt:bd.stampAt+stampDigits], uint64(ms))
	bd.sum()
}

// opening is a JSON body up to its first topic, with the place of its stamp.
// A real 5.x broker never sets mappingDataVersion, so the time at which the body
// was made shows there: the checksum differs even when nothing has changed.
func (t *topology) opening(counter int64) (head []byte, stampAt int) {
	head = append(head, `{"filterServerList":[],"topicConfigSerializeWrapper":{"dataVersion":`...)
	head = append(head, t.dataVersion(counter)...)
	if t.version >= versionV5 {
		head = append(head, `,"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":`...)
		stamp := int64(1700000000000)
		if t.stamped {
			stampAt, stamp = len(head), t.nextStamp()
		}
		head = fmt.Appendf(head, `%d}`, stamp)
	}
	return append(head, `,"topicConfigTable":{`...), stampAt
}

// closing is a JSON body from behind its last topic.
func (t *topology) closing(dst []byte) []byte {
	dst = append(dst, '}')
	if t.version >= versionV5 {
		dst = append(dst, `,"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}`...)
	}
	return append(dst, `}}`...)
}

func (t *topology) registerBody(b int, counter int64, compress bool) body {
	if compress {
		return t.compressedBody(b, counter)
	}
	head, stampAt := t.opening(counter)
	head = t.topicConfigOf(head, brokerName(b), t.ownQueues(counter))
	head = append(head, ',')
	head = t.topicConfig(head, clusterName)
	key := b
	if t.shared() {
		key = -1
	}
	tail, ok := t.suffix[key]
	if !ok {
		t.brokerTopics(b, func(name string) { tail = t.topicConfig(append(tail, ','), name) })
		tail = t.closing(tail)
		t.suffix[key] = tail
	}
	bd := body{head: head, tail: tail, stampAt: stampAt}
	bd.sum()
	return bd
}

// allTopics lists what broker b registers.
func (t *topology) allTopics(b int) []string {
	names := []string{brokerName(b), clusterName}
	t.brokerTopics(b, func(n string) { names = append(names, n) })
	return names
}

// splitBodies is the registration of a broker that splits it: so many topics in
// each part, the rest (none, perhaps) in the last, and a new data version each.
func (t *topology) splitBodies(b int, counter int64, size int) []body {
	names := t.allTopics(b)
	var parts []body
	for last := false; !last; counter++ {
		n := min(size, len(names))
		last = n < size
		head, stampAt := t.opening(counter)
		for i, name := range names[:n] {
			if i > 0 {
				head = append(head, ',')
			}
			queues := t.queues
			if name == brokerName(b) {
				queues = t.ownQueues(counter)
			}
			head = t.topicConfigOf(head, name, queues)
		}
		bd := body{head: t.closing(head), stampAt: stampAt}
		bd.sum()
		parts, names = append(parts, bd), names[n:]
	}
	return parts
}

func (t *topology) compressedBody(b int, counter int64) body {
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.BestCompression)
	put := func(p []byte) {
		var l [4]byte
		binary.BigEndian.PutUint32(l[:], uint32(len(p)))
		z.Write(l[:])
		z.Write(p)
	}
	putInt := func(n int) {
		var l [4]byte
		binary.BigEndian.PutUint32(l[:], uint32(n))
		z.Write(l[:])
	}
	names := t.allTopics(b)
	put(t.dataVersion(counter))
	putInt(len(names))
	for _, n := range names {
		queues := t.queues
		if n == brokerName(b) {
			queues = t.ownQueues(counter)
		}
		e := fmt.Appendf(nil, "%s %d %d 6 SINGLE_TAG", n, queues, queues)
		if t.version >= versionV5 {
			e = append(e, " {}"...)
		}
		put(e)
	}
	put([]byte("[]"))
	if t.version >= versionV5 {
		putInt(0)
	}
	z.Close()
	bd := body{head: out.Bytes(), compressed: true}
	bd.sum()
	return bd
}

func (t *topology) registerHead(b int, bd body, bin bool) request {
	ext := []kv{
		{"bodyCrc32", itoa(int(bd.crc))},
		{"brokerAddr", brokerAddr(b)},
		{"brokerId", "0"},
		{"brokerName", brokerName(b)},
		{"clusterName", clusterName},
		{"compressed", fmt.Sprint(bd.compressed)},
	}
	if t.version >= versionV5 {
		ext = append(ext, kv{"enableActingMaster", "false"})
	}
	ext = append(ext, kv{"haServerAddr", haAddr(b)})
	r := newRequest(codeRegisterBroker, t.version, ext, nil, bin)
	// The length field counts the body, which travels behind this head.
	n := binary.BigEndian.Uint32(r.frame) + uint32(len(bd.head)+len(bd.tail))
	binary.BigEndian.PutUint32(r.frame, n)
	return r
}

func (t *topology) brokerExt(b int) []kv {
	return []kv{{"brokerAddr", brokerAddr(b)}, {"brokerId", "0"}, {"brokerName", brokerName(b)}, {"clusterName", clusterName}}
}

func (t *topology) routeRequest(topic string, bin bool) request {
	return newRequest(codeGetRoute, t.version, []kv{{"topic", topic}}, nil, bin)
}

type routeData struct {
	BrokerDatas []struct {
		BrokerAddrs map[string]string `json:"brokerAddrs"`
		BrokerName  string            `json:"brokerName"`
		Cluster     string            `json:"cluster"`
	} `json:"brokerDatas"`
	QueueDatas []struct {
		BrokerName     string `json:"brokerName"`
		Perm           int    `json:"perm"`
		ReadQueueNums  int    `json:"readQueueNums"`
		WriteQueueNums int    `json:"writeQueueNums"`
	} `json:"queueDatas"`
}

// quoteKeys turns the non-standard {0:"addr"} that some encoders write for
// numeric map keys into standard JSON.
func quoteKeys(b []byte) []byte {
	out := make([]byte, 0, len(b)+64)
	inStr := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		out = append(out, c)
		if inStr {
			if c == '\\' && i+1 < len(b) {
				i++
				out = append(out, b[i])
			} else if c == '"' {
				inStr = false
			}
			continue
		}
		if c == '"' {
			inStr = true
			continue
		}
		if c != '{' && c != ',' {
			continue
		}
		j := i + 1
		for j < len(b) && b[j] >= '0' && b[j] <= '9' {
			j++
		}
		if j > i+1 && j < len(b) && b[j] == ':' {
			out = append(out, '"')
			out = append(out, b[i+1:j]...)
			out = append(out, '"')
			i = j - 1
		}
	}
	return out
}

// checkRoute says what is wrong with the route of topic i, or nil.
func (t *topology) checkRoute(i int, b []byte) error {
	brokers := make([]int, t.perTopic)
	for j := range brokers {
		brokers[j] = (t.first(i) + j) % t.brokers
	}
	return t.checkRouteOf(topicName(i), brokers, b)
}

// checkRouteOf says what is wrong with the route of a topic on these brokers.
func (t *topology) checkRouteOf(topic string, brokers []int, b []byte) error {
	var r routeData
	if err := json.Unmarshal(quoteKeys(b), &r); err != nil {
		return fmt.Errorf("route of %s: %w", topic, err)
	}
	if len(r.BrokerDatas) != len(brokers) || len(r.QueueDatas) != len(brokers) {
		return fmt.Errorf("route of %s: %d brokers and %d queue entries, want %d", topic, len(r.BrokerDatas), len(r.QueueDatas), len(brokers))
	}
	byName := make(map[string]int, len(brokers))
	for _, n := range brokers {
		byName[brokerName(n)] = n
	}
	seen := make(map[string]int, 2*len(brokers))
	for _, d := range r.BrokerDatas {
		n, ok := byName[d.BrokerName]
		if !ok || seen[d.BrokerName]&1 != 0 {
			return fmt.Errorf("route of %s: broker %q unexpected or twice", topic, d.BrokerName)
		}
		seen[d.BrokerName] |= 1
		if d.Cluster != clusterName || len(d.BrokerAddrs) != 1 || d.BrokerAddrs["0"] != brokerAddr(n) {
			return fmt.Errorf("route of %s: broker %s has cluster %q, addresses %v", topic, d.BrokerName, d.Cluster, d.BrokerAddrs)
		}
	}
	for _, q := range r.QueueDatas {
		if _, ok := byName[q.BrokerName]; !ok || seen[q.BrokerName]&2 != 0 {
			return fmt.Errorf("route of %s: queues of %q unexpected or twice", topic, q.BrokerName)
		}
		seen[q.BrokerName] |= 2
		if q.Perm != 6 || q.ReadQueueNums != t.queues || q.WriteQueueNums != t.queues {
			return fmt.Errorf("route of %s: queue entry of %s is perm %d, %d/%d queues", topic, q.BrokerName, q.Perm, q.ReadQueueNums, q.WriteQueueNums)
		}
	}
	return nil
}
