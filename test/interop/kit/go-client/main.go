// Command go-client sends messages to a topic, finding its brokers through a NameServer, and consumes its own and those of others.
// It does what Exchange.java does, by the Go client.
//
//	go-client NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS
//
// NAME marks its messages; NAMES, separated by commas, are those whose messages it waits for, COUNT each. It exits 0 only if each has
// arrived once; 1 if not in time, or one twice; 2 on any error.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/consumer"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
	"github.com/apache/rocketmq-client-go/v2/rlog"
)

const tag = "exchange"

func main() {
	rlog.SetLogLevel("error")
	if len(os.Args) != 7 {
		fmt.Fprintln(os.Stderr, "usage: go-client NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[4])
	check(err)
	seconds, err := strconv.Atoi(os.Args[6])
	check(err)
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	servers, topic, name := []string{os.Args[1]}, os.Args[2], os.Args[3]

	send(servers, topic, name, count)
	fmt.Printf("sent %d as %s\n", count, name)
	missing, twice := consume(servers, topic, name, count, strings.Split(os.Args[5], ","), deadline)
	if len(missing)+len(twice) > 0 {
		fmt.Printf("MISSING %v TWICE %v\n", missing, twice)
		os.Exit(1)
	}
	fmt.Println("received all once")
}

// send sends the first messages one by one, a large one among them, which goes compressed, and the last two as a batch.
func send(servers []string, topic, name string, count int) {
	p, err := rocketmq.NewProducer(
		producer.WithNameServer(servers),
		producer.WithGroupName("producer_"+name),
		producer.WithInstanceName("producer_"+name),
		producer.WithRetry(2),
	)
	check(err)
	check(p.Start())
	messages := make([]*primitive.Message, count)
	for i := range messages {
		body := fmt.Sprintf("%s#%d ", name, i)
		if i == 0 {
			body += strings.Repeat("large ", 2000)
		}
		messages[i] = primitive.NewMessage(topic, []byte(body)).WithTag(tag)
	}
	for _, message := range messages[:count-2] {
		_, err := p.SendSync(context.Background(), message)
		check(err)
	}
	_, err = p.SendSync(context.Background(), messages[count-2:]...)
	check(err)
	check(p.Shutdown())
}

func consume(servers []string, topic, name string, count int, names []string, deadline time.Time) (missing, twice []string) {
	var lock sync.Mutex
	waiting := map[string]bool{}
	for _, other := range names {
		for i := 0; i < count; i++ {
			waiting[fmt.Sprintf("%s#%d", other, i)] = true
		}
	}
	left := len(waiting)
	all := make(chan struct{})
	c, err := rocketmq.NewPushConsumer(
		consumer.WithNameServer(servers),
		consumer.WithGroupName("consumer_"+name),
		consumer.WithInstance("consumer_"+name),
		consumer.WithConsumeFromWhere(consumer.ConsumeFromFirstOffset),
	)
	check(err)
	selector := consumer.MessageSelector{Type: consumer.TAG, Expression: tag}
	check(c.Subscribe(topic, selector, func(_ context.Context, messages ...*primitive.MessageExt) (consumer.ConsumeResult, error) {
		lock.Lock()
		defer lock.Unlock()
		for _, message := range messages {
			id, _, _ := strings.Cut(string(message.Body), " ")
			first, known := waiting[id]
			if known && !first {
				twice = append(twice, id)
			}
			if first {
				waiting[id] = false
				left--
				if left == 0 {
					close(all)
				}
			}
		}
		return consumer.ConsumeSuccess, nil
	}))
	check(c.Start())
	select {
	case <-all:
	case <-time.After(time.Until(deadline)):
	}
	check(c.Shutdown())
	lock.Lock()
	defer lock.Unlock()
	for id, isMissing := range waiting {
		if isMissing {
			missing = append(missing, id)
		}
	}
	sort.Strings(missing)
	return missing, twice
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
